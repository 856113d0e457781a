// Moves of many threads share transactions, and each is told what it would be told alone.

#include "ledger/move_gatherer.hpp"

#include <random>
#include <set>

#include "ledger/gathering_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

constexpr std::array kinds{move_kind::begin_payment, move_kind::cancel, move_kind::ask_refund,
                           move_kind::pay,           move_kind::close,  move_kind::finish_refund};

class GatheringContractTest : public GatheringTest {
protected:
    // Each move of an order in each state.
    std::vector<move_request> every_move(sale::sale_id sale) {
        std::vector<move_request> all;
        for (const char* state : move_verbs::states)
            for (const move_kind kind : kinds)
                all.push_back(request(kind, orders_.order_in(state, sale, ++buyer_)));
        return all;
    }
    // "moved, with an event: closed cancelled"
    static std::string shown(const result<move_outcome>& m) {
        if (!m) return m.error().message();
        return fmt::format("{}{}: {}", m->moved ? "moved" : "not moved",
                           m->event != 0 ? ", with an event" : "", move_verbs::shown(m->order));
    }
    // What a batch of moves leaves behind, without the numbers.
    std::string traces(sale::sale_id sale) {
        std::string text;
        const auto c = verbs_.db().reader();
        auto rows = c->ask(
            "SELECT o.state, o.reason, o.closing, o.refunded_fen, o.refunds, o.mark, t.method, "
            "t.state, t.asked, r.cause, r.state FROM orders o "
            "LEFT JOIN trades t ON t.order_no = o.order_no "
            "LEFT JOIN refunds r ON r.order_no = o.order_no AND r.method = t.method "
            "WHERE o.sale_id = ? ORDER BY o.order_no, t.method, r.refund_no",
            sale);
        while (rows.next()) {
            for (int i = 0; i < 11; ++i) text.append(rows.asked().text(i)).append("|");
            text += "\n";
        }
        return text;
    }
};
INSTANTIATE_TEST_SUITE_P(Over, GatheringContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(GatheringContractTest, EveryMoveInOneTransactionComesToWhatItWouldAlone) {
    const auto other = verbs_.add_sale({.stock = 1000});
    const auto moves = every_move(sale_), same = every_move(other);
    const auto got = together(moves);
    EXPECT_EQ(begun_, 1);

    move_gatherer one_by_one(verbs_.db(), {.moves_max = 1});
    for (std::size_t i = 0; i < moves.size(); ++i)
        EXPECT_EQ(shown(got[i]), shown(one_by_one.make(same[i])))
            << move_verbs::states.at(i / kinds.size()) << ", " << to_text(moves[i].kind);
    EXPECT_EQ(traces(sale_), traces(other));
    EXPECT_EQ(verbs_.held(sale_), verbs_.held(other));
    for (std::size_t i = 0; i < moves.size(); ++i) {
        if (got[i]->event == 0) continue;
        const auto box = verbs_.book().moves().events_of(got[i]->order.buyer, 0, 10).value();
        ASSERT_FALSE(box.empty());
        EXPECT_EQ(box.back().id, got[i]->event);
        EXPECT_EQ(box.back().order, moves[i].order);
        EXPECT_EQ(box.back().at, got[i]->at);
        EXPECT_EQ(got[i]->at, moves[i].now);
    }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(GatheringContractTest, ASaleGetsItsUnitsBackInOneLineForEachCause) {
    const auto orders = new_orders(5, sale_);
    auto moves = requests(move_kind::cancel, orders);
    moves.push_back(request(move_kind::finish_refund, orders_.order_in("refunding", sale_, 99)));
    const auto lines = verbs_.number("SELECT COUNT(*) FROM stock_log");
    for (const auto& m : together(moves)) EXPECT_TRUE(m.value().moved);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM stock_log"), lines + 2);
    EXPECT_EQ(orders_.last_line(sale_).note, "order 1006 refund_done");
    EXPECT_EQ(orders_.last_line(sale_).held_before, 1);
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(GatheringContractTest, OneOrderIsMovedOnceAndTheOthersSeeIt) {
    const auto contested = new_orders(1, sale_)[0];
    auto moves = requests(move_kind::cancel, new_orders(3, sale_));
    for (int i = 0; i < 4; ++i)
        for (const auto kind : {move_kind::pay, move_kind::cancel})
            moves.push_back(request(kind, contested));
    const auto got = together(moves);
    EXPECT_EQ(begun_, 8) << "two moves of one order are never made together";
    std::set<std::string> ends;
    int moved = 0;
    for (std::size_t i = 3; i < got.size(); ++i) {
        moved += got[i]->moved ? 1 : 0;
        ends.insert(move_verbs::shown(got[i]->order));
    }
    const bool was_paid = ends.contains("paid");
    EXPECT_EQ(moved, was_paid ? 1 : 2) << "money for a cancelled order is noted, and only once";
    EXPECT_EQ(ends.size(), 1U) << "each was told the state that the first move led to";
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(GatheringContractTest, NoTransactionIsLargerThanAllowed) {
    std::vector<sale::promise> orders = new_orders(201, sale_);
    for (const auto& m : together(requests(move_kind::pay, orders))) EXPECT_TRUE(m.value().moved);
    EXPECT_EQ(begun_, 3);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(GatheringContractTest, ALoneCallerHasATransactionToItself) {
    const auto p = new_orders(1, sale_)[0];
    EXPECT_TRUE(together({request(move_kind::pay, p)})[0].value().moved);
    EXPECT_EQ(begun_, 1);
    EXPECT_EQ(verbs_.state(p), "paid");
}

TEST_P(GatheringContractTest, ThreadsThatMoveWhateverTheyFindLeaveABookThatAddsUp) {
    constexpr int threads = 12, moves_each = 40;
    const auto orders = new_orders(30, sale_);
    move_gatherer gatherer(verbs_.db(), {});
    std::mutex mutex;
    std::multiset<std::int64_t> events;
    const auto work = [&](unsigned seed) {
        std::minstd_rand random(seed);
        for (int i = 0; i < moves_each; ++i) {
            const auto& p = orders[random() % orders.size()];
            const auto made = gatherer.make(request(kinds.at(random() % kinds.size()), p));
            ASSERT_TRUE(made) << made.error();
            const std::lock_guard lock(mutex);
            if (made->event != 0) events.insert(made->event);
        }
    };
    {
        std::vector<std::jthread> all;
        for (unsigned i = 1; i <= threads; ++i) all.emplace_back(work, i);
    }
    EXPECT_EQ(events.size(), std::set<std::int64_t>(events.begin(), events.end()).size());
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM order_events"),
              static_cast<std::int64_t>(events.size()));
    EXPECT_EQ(verbs_.held(sale_), verbs_.number("SELECT COUNT(*) FROM orders WHERE mark = 0"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
