// The first move wins: all short histories of an order against a model, and real threads.

#include <atomic>
#include <thread>
#include <utility>

#include "ledger/move_fixture.hpp"
#include "sale/order_move.hpp"

namespace floodgate::ledger {
namespace {

using sale::order_event;
using testing::IsEmpty;

enum class trade : std::uint8_t { none = 1, open, closed, paid };

// An order's life by sale::after, and what that function does not know: its trades, whether it is
// being closed, and money that came too late or twice. (move_model_test.cpp has a larger model.)
struct model {
    sale::order order;
    trade first = trade::none, second = trade::none;  // with `method` and `other_method`
    int extra = 0;                                    // refunds of money that came late or twice
    int returned = 0;                                 // how often the unit went back

    // Whether the act moves the order.
    bool perform(act a) {
        switch (a) {
        case act::begin: return begin();
        case act::cancel: return close_or_ask(order_event::cancelled);
        case act::pay: return pay(first);
        case act::pay_other: return pay(second);
        case act::close_due: return close_or_ask(order_event::timed_out);
        case act::close: return close();
        case act::ask_refund: return advance(order_event::refund_asked);
        case act::finish_refund:
            if (extra > 0) return --extra >= 0;  // its number comes first
            return advance(order_event::refund_done);
        }
        return false;
    }

private:
    bool begin() {
        if (!sale::after(order.state, order_event::paid) || !order.closing.empty()) return false;
        if (first == trade::closed) return false;
        first = trade::open;
        return true;
    }
    bool pay(trade& with) {
        if (std::exchange(with, trade::paid) == trade::paid) return false;
        if (!advance(order_event::paid)) ++extra;
        return true;
    }
    bool close() {
        if (first != trade::open) return false;
        first = trade::closed;
        if (!order.closing.empty())
            advance(order.closing == "cancelled" ? order_event::cancelled : order_event::timed_out);
        return true;
    }
    bool close_or_ask(order_event event) {
        if (!sale::after(order.state, event) || !order.closing.empty()) return false;
        if (first != trade::open) return advance(event);
        order.closing = sale::to_text(event);
        return true;
    }
    bool advance(order_event event) {
        const auto to = sale::after(order.state, event);
        if (!to) return false;
        if (holds_stock(order.state) && !holds_stock(*to)) ++returned;
        if (*to == sale::order_state::closed) order.reason = sale::to_text(event);
        order.state = *to;
        order.closing.clear();
        return true;
    }
};

class MoveHistoryContractTest : public MoveTest {
protected:
    MoveHistoryContractTest() { sale_ = verbs_.add_sale({.stock = 1'000'000}); }

    // The history with this number in base 8, `length` moves long. Every shorter history is the
    // beginning of a longer one.
    void live(std::uint64_t history, int length) {
        const auto p = orders_.order(sale_, ++buyer_);
        model m{orders_.find(p)};
        std::string told;
        for (int i = 0; i < length; ++i, history /= acts.size()) {
            const act a = acts.at(history % acts.size());
            told.append(" ").append(to_text(a));
            const sale::order_state from = m.order.state;
            const bool moves = m.perform(a);
            const auto got = orders_.perform(a, p).value();
            ASSERT_EQ(got.moved, moves) << told;
            ASSERT_EQ(got.event != 0, from != m.order.state) << told;
            ASSERT_EQ(move_verbs::shown(got.order), move_verbs::shown(m.order)) << told;
        }
        ASSERT_EQ(move_verbs::shown(orders_.find(p)), move_verbs::shown(m.order)) << told;
        ASSERT_LE(m.returned, 1) << told;
        ASSERT_EQ(verbs_.held(sale_), kept_ + 1 - m.returned) << told;
        // Paid, so that the next order's close_due does not find it.
        (void)moves_.pay(p.order, method, p.at);
        kept_ += 1 - m.returned;
    }
    std::int64_t buyer_ = 0, kept_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Over, MoveHistoryContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(MoveHistoryContractTest, EveryShortHistoryEndsAsTheModelSaysAndReturnsTheUnitOnce) {
    // Shorter histories where every move is synced to a disk. move_model_test.cpp has longer ones.
    const int length = GetParam().name == "SqliteMemory" ? 4 : 3;
    std::uint64_t histories = 1;
    for (int i = 0; i < length; ++i) histories *= acts.size();
    for (std::uint64_t h = 0; h < histories; ++h) ASSERT_NO_FATAL_FAILURE(live(h, length));
    EXPECT_THAT(verbs_.check(), IsEmpty());
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM stock_log WHERE kind = 'released'"),
              static_cast<std::int64_t>(histories) - kept_);
}

// Pay against time-out against cancel, and the channel's "closed" for those whose payment was
// begun.
TEST_P(MoveHistoryContractTest, OfThreadsThatRaceForAnOrderExactlyOneWins) {
    constexpr std::size_t count = 200;
    std::vector<sale::promise> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(verbs_.promise(sale_, static_cast<std::int64_t>(i) + 1));
    verbs_.enter(all);
    for (std::size_t i = 0; i < count; i += 2) orders_.begin(all[i]);
    const instant end = orders_.deadline(all.back());

    const std::uint64_t first = all.front().order.value;
    std::vector<std::atomic<int>> wins(count);
    const auto note = [&](const move_outcome& m) {
        if (m.event != 0) ++wins.at(m.order.no.value - first);
    };
    const auto each = [&](act a) {
        return [&, a] {
            for (const auto& p : all) note(orders_.perform(a, p).value());
        };
    };
    std::atomic<bool> over = false;
    {
        std::jthread deadline_closer([&] {
            while (!over)
                for (const auto& m : moves_.close_due(end, 3).value().closed) note(m);
        });
        std::jthread channel([&] {
            while (!over)
                for (const auto& q : moves_.open_questions(end, 3).value())
                    note(moves_.close(q.order.no, q.method, end).value());
        });
        std::jthread payer(each(act::pay));
        std::jthread canceller(each(act::cancel));
        payer.join();
        canceller.join();
        over = true;
    }
    for (std::size_t i = 0; i < count; ++i)
        EXPECT_EQ(wins[i], 1) << move_verbs::shown(orders_.find(all[i]));
    EXPECT_EQ(verbs_.held(sale_),
              verbs_.number("SELECT COUNT(*) FROM orders WHERE state = 'paid'"));
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM order_events"), std::int64_t{count});
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
