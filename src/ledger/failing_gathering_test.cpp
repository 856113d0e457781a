// What goes wrong with one move, or with the transaction that many moves share.

#include "ledger/gathering_fixture.hpp"

namespace floodgate::ledger {
namespace {

using store::sql_error;
using store::sql_failure;
using testing::IsEmpty;

class FailingGatheringContractTest : public GatheringTest {
protected:
    // From here on the database refuses every change of this order.
    void poison(const sale::promise& p) {
        const std::string no = std::to_string(p.order.value);
        verbs_.sql(is_sqlite() ? "CREATE TRIGGER poison BEFORE UPDATE ON orders WHEN NEW.order_no "
                                 "= " +
                                     no + " BEGIN SELECT RAISE(ABORT, 'poison'); END"
                               : "CREATE TRIGGER poison BEFORE UPDATE ON orders FOR EACH ROW BEGIN "
                                 "IF NEW.order_no = " +
                                     no +
                                     " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'poison'; "
                                     "END IF; END");
    }
    // Throws at the nth statement after the moves were gathered; false: there are not so many.
    bool fail_at(int nth, sql_failure kind, const std::vector<move_request>& moves, answers& got) {
        std::atomic<int> left = nth;
        before_ = [&] {
            if (--left == 0) throw sql_error(kind, "as told");
        };
        got = together(moves);
        before_ = nullptr;
        return left <= 0;
    }
};
INSTANTIATE_TEST_SUITE_P(Over, FailingGatheringContractTest, testing::ValuesIn(databases()),
                         name_of);

TEST_P(FailingGatheringContractTest, AMoveWhoseRowsMakeNoSenseDoesNotSpoilTheOthers) {
    const auto damaged = verbs_.add_sale();
    auto orders = new_orders(6, sale_);
    orders.push_back(orders_.order(damaged, 100));
    verbs_.sql("UPDATE sales SET held = 0 WHERE id = " + std::to_string(damaged.value));
    const auto odd = std::to_string(orders[1].order.value);
    verbs_.sql("UPDATE orders SET state = 'odd' WHERE order_no = " + odd);
    auto moves = requests(move_kind::cancel, orders);
    moves.push_back(request(move_kind::close, orders_.order_in("closing", sale_, 101)));
    verbs_.sql("UPDATE orders SET closing = 'whim' WHERE closing <> ''");
    moves.push_back(request(move_kind::pay, {.order = {7}, .at = noon}));

    const auto got = together(moves);
    EXPECT_EQ(begun_, 1);
    for (const std::size_t i : {0U, 2U, 3U, 4U, 5U}) EXPECT_TRUE(got[i].value().moved) << i;
    EXPECT_EQ(outcome(got[1]), errc::corrupt);
    EXPECT_EQ(outcome(got[6]), errc::corrupt) << "the sale does not hold its unit";
    EXPECT_EQ(outcome(got[7]), errc::corrupt) << "nobody knows why it is being closed";
    EXPECT_EQ(outcome(got[8]), errc::not_found);
    EXPECT_EQ(verbs_.state(orders[6]), "unpaid");
    EXPECT_EQ(verbs_.held(sale_), 2);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM order_events"), 5);
}

TEST_P(FailingGatheringContractTest, AMoveThatTheDatabaseRefusesFailsAlone) {
    const auto orders = new_orders(8, sale_);
    poison(orders[3]);
    const auto got = together(requests(move_kind::cancel, orders));
    verbs_.heal();
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (i == 3) {
            EXPECT_EQ(outcome(got[i]), errc::rejected);
        } else {
            EXPECT_TRUE(got[i].value().moved) << i;
        }
    }
    EXPECT_EQ(verbs_.state(orders[3]), "unpaid");
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingGatheringContractTest, AFailureAtAnyStatementIsToldToAllAndLeavesNothing) {
    auto moves = requests(move_kind::cancel, new_orders(3, sale_));
    moves.push_back(request(move_kind::ask_refund, orders_.order_in("paid", sale_, 100)));
    moves.push_back(request(move_kind::begin_payment, orders_.order(sale_, 101)));
    moves.push_back(request(move_kind::pay, orders_.order_in("closing", sale_, 102)));
    const std::string before = orders_.picture();
    answers got;
    int statements = 0;
    while (fail_at(statements + 1, sql_failure::other, moves, got)) {
        ++statements;
        for (const auto& m : got) ASSERT_EQ(outcome(m), errc::store_unavailable) << statements;
        ASSERT_EQ(orders_.picture(), before) << statements;
    }
    EXPECT_GT(statements, 10);
    for (const auto& m : got) EXPECT_TRUE(m.value().moved);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingGatheringContractTest, AConflictAtAnyStatementIsNoticedByNobody) {
    bool there = true;
    for (int nth = 1; there; ++nth) {
        auto moves = requests(move_kind::cancel, new_orders(3, sale_));
        moves.push_back(request(move_kind::begin_payment, orders_.order(sale_, ++buyer_)));
        answers got;
        there = fail_at(nth, sql_failure::conflict, moves, got);
        for (const auto& m : got) ASSERT_TRUE(m.value().moved) << nth;
        ASSERT_EQ(verbs_.held(sale_), nth);
    }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingGatheringContractTest, ACommitWhoseAnswerWasLostIsFoundByTheNextTry) {
    const auto moves = requests(move_kind::cancel, new_orders(4, sale_));
    after_ = [](std::string_view sql) {
        if (sql == "COMMIT") throw sql_error(sql_failure::other, "connection lost");
    };
    for (const auto& m : together(moves)) EXPECT_EQ(outcome(m), errc::store_unavailable);
    after_ = nullptr;
    for (const auto& m : together(moves)) {
        EXPECT_FALSE(m.value().moved);
        EXPECT_EQ(move_verbs::shown(m->order), "closed cancelled");
    }
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingGatheringContractTest, ACommitThatFailsLeavesNothingAndIsToldToAll) {
    const auto moves = requests(move_kind::cancel, new_orders(4, sale_));
    const std::string before = orders_.picture();
    std::string last;
    after_ = [&](std::string_view sql) { last = sql; };
    before_ = [&] {  // what follows the last statement of a batch is its commit
        if (last.starts_with("INSERT INTO feed")) throw sql_error(sql_failure::full, "as told");
    };
    for (const auto& m : together(moves)) EXPECT_EQ(outcome(m), errc::store_unavailable);
    EXPECT_EQ(orders_.picture(), before);
    before_ = nullptr;
    for (const auto& m : together(moves)) EXPECT_TRUE(m.value().moved);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
