// Orders that were not paid in time, closed many at a time.

#include "ledger/move_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ClosingContractTest : public MoveTest {
protected:
    std::vector<sale::promise> enter(std::int64_t count) {
        std::vector<sale::promise> batch;
        for (std::int64_t i = 1; i <= count; ++i) batch.push_back(verbs_.promise(sale_, i));
        verbs_.enter(batch);
        return batch;
    }
    static std::vector<std::uint64_t> numbers(const std::vector<move_outcome>& moves) {
        std::vector<std::uint64_t> all;
        all.reserve(moves.size());
        for (const auto& m : moves) all.push_back(m.order.no.value);
        return all;
    }
    // Everything the tests enter is due by then.
    const instant late_ = noon + std::chrono::hours(1);
};
INSTANTIATE_TEST_SUITE_P(Over, ClosingContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(ClosingContractTest, NothingIsClosedBeforeItsDeadlineAndEverythingAtIt) {
    const auto p = enter(1)[0];
    const auto early = moves_.close_due(orders_.deadline(p) - milliseconds(1), 10).value();
    EXPECT_EQ(early.found, 0U);
    EXPECT_EQ(verbs_.state(p), "unpaid");
    const auto report = moves_.close_due(orders_.deadline(p), 10).value();
    EXPECT_EQ(report.found, 1U);
    ASSERT_EQ(report.closed.size(), 1U);
    EXPECT_TRUE(report.closed[0].moved);
    EXPECT_EQ(report.closed[0].event, moves_.latest_event_of({1}).value());
    EXPECT_EQ(move_verbs::shown(report.closed[0].order), "closed timed_out");
    EXPECT_EQ(verbs_.state(p), "closed timed_out");
    EXPECT_EQ(orders_.last_line(sale_).note, "order 1001 timed_out");
    EXPECT_THAT(orders_.mailbox(1), ElementsAre("1001 unpaid>closed timed_out"));
    EXPECT_EQ(moves_.close_due(late_, 10).value().found, 0U);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(ClosingContractTest, TheEarliestDeadlineIsTheFirstAndAPageIsAsLargeAsAllowed) {
    enter(5);
    verbs_.sql("UPDATE orders SET pay_by_ms = pay_by_ms - 60000 WHERE order_no IN (1002, 1005)");
    const auto page = moves_.close_due(late_, 3).value();
    EXPECT_EQ(page.found, 3U) << "there may be more";
    EXPECT_THAT(numbers(page.closed), ElementsAre(1002, 1005, 1001));
    const auto rest = moves_.close_due(late_, 3).value();
    EXPECT_EQ(rest.found, 2U);
    EXPECT_THAT(numbers(rest.closed), ElementsAre(1003, 1004));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(ClosingContractTest, ASaleGetsOneLineAndEveryBuyerAnEventOfTheirOwn) {
    const auto wide = verbs_.add_sale({.stock = 20, .limit = 3});
    std::vector<sale::promise> batch;
    for (std::int64_t buyer = 1; buyer <= 6; ++buyer) {
        batch.push_back(verbs_.promise(sale_, buyer));
        batch.push_back(verbs_.promise(wide, buyer, 3));
    }
    verbs_.enter(batch);
    const auto lines = verbs_.number("SELECT COUNT(*) FROM stock_log");
    const auto report = moves_.close_due(late_, 100).value();
    EXPECT_EQ(report.closed.size(), 12U);
    EXPECT_EQ(verbs_.held(sale_) + verbs_.held(wide), 0);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM stock_log"), lines + 2);
    EXPECT_EQ(orders_.last_line(sale_).note, "6 orders timed_out, 1001 to 1011");
    EXPECT_EQ(orders_.last_line(wide).held_before, 18);
    EXPECT_EQ(orders_.last_line(wide).note, "6 orders timed_out, 1002 to 1012");
    for (const auto& m : report.closed) {
        const auto box = moves_.events_of(m.order.buyer, m.event - 1, 1).value();
        ASSERT_EQ(box.size(), 1U);
        EXPECT_EQ(box[0].id, m.event);
        EXPECT_EQ(box[0].order, m.order.no);
        EXPECT_EQ(box[0].sale, m.order.sale);
        EXPECT_EQ(box[0].at, late_);
    }
    EXPECT_EQ(verbs_.enter({verbs_.promise(sale_, 1)}).entered, 1U) << "they may buy again";
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(ClosingContractTest, WhatSomebodyBeganToPayIsAskedForOnce) {
    const auto all = enter(3);
    orders_.begin(all[1]);
    const auto report = moves_.close_due(late_, 10).value();
    EXPECT_THAT(numbers(report.closed), ElementsAre(1001, 1003));
    ASSERT_THAT(numbers(report.closing), ElementsAre(1002));
    EXPECT_TRUE(report.closing[0].moved);
    EXPECT_EQ(report.closing[0].event, 0);
    EXPECT_EQ(move_verbs::shown(report.closing[0].order), "unpaid closing timed_out");
    EXPECT_EQ(move_verbs::shown(orders_.find(all[1])), "unpaid closing timed_out");
    EXPECT_EQ(verbs_.held(sale_), 1);
    EXPECT_EQ(moves_.close_due(late_, 10).value().found, 0U);
    EXPECT_FALSE(orders_.cancel(all[1]).moved);

    EXPECT_TRUE(orders_.close(all[1]).moved);
    EXPECT_EQ(verbs_.state(all[1]), "closed timed_out");
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(ClosingContractTest, ASaleOutOfJointWaitsForItsRepairAndDoesNotHoldUpOthers) {
    enter(3);
    const auto sound = verbs_.add_sale();
    const auto p = orders_.order(sound, 9);
    verbs_.sql("UPDATE sales SET held = 1 WHERE id = " + std::to_string(sale_.value));
    EXPECT_THAT(numbers(moves_.close_due(late_, 2).value().closed), ElementsAre(1001));
    EXPECT_THAT(numbers(moves_.close_due(late_, 2).value().closed), ElementsAre(p.order.value));
    EXPECT_EQ(moves_.close_due(late_, 2).value().found, 0U);
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_EQ(verbs_.held(sound), 0);
}

// Without the index, all orders would be scanned several times a second.
TEST(ClosingTest, TheDueAreFoundByTheirIndexAlone) {
    const auto how = std::make_shared<tampering>(tampering{{}, {}, store::sqlite_dialect});
    book_verbs verbs(tamper(store::open_sqlite({.path = ":memory:"}), how));
    std::string asked;
    how->after = [&](std::string_view sql) {
        if (sql.find("o.pay_by_ms <= ?") != std::string_view::npos) asked = sql;
    };
    EXPECT_EQ(verbs.book().moves().close_due(noon, 5).value().found, 0U);
    how->after = nullptr;

    const auto c = verbs.db().reader();
    auto rows = c->ask("EXPLAIN QUERY PLAN " + asked);
    std::string plan;
    while (rows.next()) plan += rows.get<std::string>(3) + "\n";
    EXPECT_NE(plan.find("orders_due (state=? AND pay_by_ms<?)"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("SCAN"), std::string::npos) << plan;
    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << plan;
}

}  // namespace
}  // namespace floodgate::ledger
