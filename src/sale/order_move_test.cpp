// The complete table of an order's life, written out: every state x every event.

#include "sale/order_move.hpp"

#include <gtest/gtest.h>

#include <array>

namespace floodgate::sale {
namespace {

constexpr std::array<order_event, order_events> events{
    order_event::entered,     order_event::refused,      order_event::paid,
    order_event::timed_out,   order_event::cancelled,    order_event::refund_asked,
    order_event::refund_done, order_event::part_refunded};

constexpr const char* no = "-";  // not allowed

struct line {
    order_state from;
    bool holds;
    std::array<const char*, order_events> to;  // in the order of `events`
};

// clang-format off
using enum order_state;
constexpr std::array<line, order_states> lines{{
//   state      holds   entered   refused   paid    timed_out cancelled
//                      refund_asked refund_done part_refunded
    {queued,    true,  {"unpaid", "failed", no,     no,       no,
                        no,          no,         no}},
    {unpaid,    true,  {no,       no,       "paid", "closed", "closed",
                        no,          no,         no}},
    {paid,      true,  {no,       no,       no,     no,       no,
                        "refunding", no,         no}},
    {refunding, true,  {no,       no,       no,     no,       no,
                        no,          "refunded", "paid"}},
    {refunded,  false, {no, no, no, no, no, no, no, no}},
    {closed,    false, {no, no, no, no, no, no, no, no}},
    {failed,    false, {no, no, no, no, no, no, no, no}},
}};
// clang-format on

TEST(OrderMoveTest, EveryStateAnswersEveryEventAsTheTableSays) {
    for (const line& l : lines)
        for (std::size_t i = 0; i < events.size(); ++i) {
            const auto to = after(l.from, events[i]);
            EXPECT_STREQ(to ? to_text(*to) : "-", l.to[i])
                << to_text(l.from) << " on " << to_text(events[i]);
        }
}

TEST(OrderMoveTest, AStateHoldsStockAsTheTableSays) {
    for (const line& l : lines) EXPECT_EQ(holds_stock(l.from), l.holds) << to_text(l.from);
}

TEST(OrderMoveTest, NoMoveTakesUnitsThatWereNotHeld) {
    for (const line& l : lines)
        for (const order_event e : events)
            if (const auto to = after(l.from, e)) {
                EXPECT_TRUE(holds_stock(l.from)) << to_text(l.from) << " to " << to_text(*to);
            }
}

TEST(OrderMoveTest, EveryStateAndEventHasAWordOfItsOwn) {
    for (const line& l : lines) EXPECT_EQ(parse_order_state(to_text(l.from)), l.from);
    for (std::size_t i = 0; i < events.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) EXPECT_STRNE(to_text(events[i]), to_text(events[k]));
    EXPECT_FALSE(parse_order_state("lost"));
    EXPECT_STREQ(to_text(order_event{0}), "?");
}

TEST(OrderMoveTest, WaitsForItsChannelWhileItIsBeingClosedOrRefunded) {
    for (const line& l : lines) {
        const bool refunding = l.from == order_state::refunding;
        order o;
        o.state = l.from;
        EXPECT_EQ(waits_for_channel(o), refunding) << to_text(l.from);
        o.closing = "timed_out";
        EXPECT_EQ(waits_for_channel(o), refunding || l.from == order_state::unpaid)
            << to_text(l.from);
    }
}

}  // namespace
}  // namespace floodgate::sale
