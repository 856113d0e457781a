// Every stored state x every move, against the real book.

#include "ledger/move_fixture.hpp"
#include "sale/order_move.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

constexpr const char *xc = "closed cancelled", *xt = "closed timed_out",
                     *xf = "failed unknown_sale", *cc = "unpaid closing cancelled",
                     *ct = "unpaid closing timed_out", *ri = "refunding", *rd = "refunded",
                     *no = nullptr;  // not moved

// What an order that was `from` is after each of the acts.
struct line {
    const char* from;
    std::array<const char*, acts.size()> to;
};

// clang-format off
constexpr std::array<line, 11> lines{{
    //             begin     cancel pay     pay_other close_due close     ask_refund finish_refund
    {"unpaid",    {"unpaid", xc,    "paid", "paid",   xt,       no,       no,        no}},
    {"begun",     {"unpaid", cc,    "paid", "paid",   ct,       "unpaid", no,        no}},
    {"closing",   {no,       no,    "paid", "paid",   no,       xc,       no,        no}},
    {"paid",      {no,       no,    no,     "paid",   no,       no,       ri,        no}},
    {"refunding", {no,       no,    no,     ri,       no,       no,       no,        rd}},
    {"refunded",  {no,       no,    no,     rd,       no,       no,       no,        no}},
    {"closed",    {no,       no,    xc,     xc,       no,       no,       no,        no}},
    {"late",      {no,       no,    no,     xc,       no,       no,       no,        xc}},
    {"failed",    {no,       no,    xf,     xf,       no,       no,       no,        no}},
    {"part",      {no,       no,    no,     "paid",   no,       no,       ri,        no}},
    {"twice",     {no,       no,    no,     no,       no,       no,       ri,        "paid"}},
}};
// clang-format on

class MoveMatrixContractTest : public MoveTest {
protected:
    void try_one(const line& l, std::size_t i) {
        const auto p = orders_.order_in(l.from, sale_, ++buyer_);
        const auto before = orders_.find(p);
        const auto held = verbs_.held(sale_);
        const std::string picture = orders_.picture();
        const auto got = orders_.perform(acts.at(i), p).value();
        const auto now = orders_.find(p);
        EXPECT_EQ(got.moved, l.to.at(i) != no);
        EXPECT_EQ(move_verbs::shown(now), move_verbs::shown(got.order)) << "as it is in the book";
        EXPECT_EQ(got.event != 0, before.state != now.state);
        if (got.moved) {
            EXPECT_EQ(move_verbs::shown(now), l.to.at(i));
            EXPECT_EQ(held - verbs_.held(sale_),
                      holds_stock(before.state) && !holds_stock(now.state) ? 1 : 0);
        } else {
            EXPECT_EQ(orders_.picture(), picture);
        }
        // Paid, so that the next order's close_due does not find it.
        (void)moves_.pay(p.order, method, p.at);
    }
    std::int64_t buyer_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Over, MoveMatrixContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(MoveMatrixContractTest, EveryStateAnswersEveryMoveAsTheTableSays) {
    for (const line& l : lines)
        for (std::size_t i = 0; i < acts.size(); ++i) {
            SCOPED_TRACE(std::string(l.from) + ", " + to_text(acts.at(i)));
            try_one(l, i);
        }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

// Compares the table above with sale::after.
TEST(MoveMatrixTest, TheBookMovesOrdersWhereTheVocabularySays) {
    using sale::order_event;
    constexpr std::array<std::pair<act, order_event>, 5> same{{
        {act::cancel, order_event::cancelled},
        {act::pay, order_event::paid},
        {act::close_due, order_event::timed_out},
        {act::ask_refund, order_event::refund_asked},
        {act::finish_refund, order_event::refund_done},
    }};
    for (const line& l : lines) {
        const auto from = sale::parse_order_state(l.from);
        if (!from) continue;  // begun, late: not states of the vocabulary
        for (const auto& [a, event] : same) {
            const auto to = sale::after(*from, event);
            const char* const found_to = l.to.at(static_cast<std::size_t>(a) - 1);
            std::string found = found_to == no ? "-" : found_to;
            found = found.substr(0, found.find(' '));
            if (found == l.from) found = "-";  // Money that is refunded does not move the order.
            EXPECT_EQ(found, to ? to_text(*to) : "-") << l.from << ", " << to_text(a);
        }
    }
}

}  // namespace
}  // namespace floodgate::ledger
