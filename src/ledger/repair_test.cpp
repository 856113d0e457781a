// tally_book::repair makes the figures agree with the orders again, or says what it cannot decide.

#include "ledger/ledger_fixture.hpp"
#include "ledger/tally_book.hpp"
#include "ledger/tampered_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const instant later = noon + std::chrono::hours(1);

class RepairContractTest : public LedgerContractTest {
protected:
    RepairContractTest() {
        sale_ = verbs_.add_sale({.stock = 10});
        wide_ = verbs_.add_sale({.stock = 10, .limit = 3});
        for (int buyer = 1; buyer <= 3; ++buyer) batch_.push_back(verbs_.promise(sale_, buyer));
        batch_.push_back(verbs_.promise(wide_, 1, 2));
        verbs_.enter(batch_);
    }
    repair_report repair() { return repair(sale_); }
    repair_report repair(sale::sale_id id) {
        return book_.tallies().repair(id, "by hand of Li", later).value();
    }
    // "held 3 -> 2, stock 10 -> 10", the sale's last lines, newest first.
    std::vector<std::string> log(std::size_t lines) {
        std::vector<std::string> all;
        for (const stock_move& m : book_.catalogue().stock_log(sale_, lines).value())
            all.push_back(m.kind + ": stock " + std::to_string(m.stock_before) + " -> " +
                          std::to_string(m.stock_after) + ", held " +
                          std::to_string(m.held_before) + " -> " + std::to_string(m.held_after));
        return all;
    }
    std::int64_t repair_events(const std::string& order_no, const std::string& state) {
        return verbs_.number(
            "SELECT COUNT(*) FROM order_events WHERE reason = 'repaired' AND "
            "order_no = " +
            order_no + " AND from_state = '" + state + "' AND to_state = '" + state +
            "' AND at_ms = " + std::to_string(to_ms(later)));
    }
    bool adds_up() {
        for (const sale_tally& s : book_.tallies().take().value().sales)
            if (!s.adds_up()) return false;
        return true;
    }

    sale::sale_id sale_, wide_;
    std::vector<sale::promise> batch_;
};
INSTANTIATE_TEST_SUITE_P(Over, RepairContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(RepairContractTest, WhatIsWholeIsLeftAlone) {
    const auto report = repair();
    EXPECT_THAT(report.done, IsEmpty());
    EXPECT_THAT(report.open, IsEmpty());
    EXPECT_THAT(log(9), testing::SizeIs(2));
    EXPECT_EQ(outcome(book_.tallies().repair({999}, "", later)), errc::not_found);
}

TEST_P(RepairContractTest, AHeldFigureChangedByHandGoesBackAndTheLogTellsBoth) {
    verbs_.sql("UPDATE sales SET held = 5 WHERE id = 1");
    const auto report = repair();
    EXPECT_THAT(report.done,
                ElementsAre("sale 1: the log, which ended at stock 10 held 3, goes on to the "
                            "sale's stock 10 held 5",
                            "sale 1: held went from 5 to 3, as its orders hold"));
    EXPECT_THAT(report.open, IsEmpty());
    EXPECT_THAT(log(3), ElementsAre("repaired: stock 10 -> 10, held 5 -> 3",
                                    "repaired: stock 10 -> 10, held 3 -> 5",
                                    "entered: stock 10 -> 10, held 0 -> 3"));
    const auto newest = book_.catalogue().stock_log(sale_, 1).value()[0];
    EXPECT_EQ(newest.note, "by hand of Li");
    EXPECT_EQ(newest.at, later);
    EXPECT_TRUE(adds_up());
    EXPECT_THAT(verbs_.check(), IsEmpty());
    EXPECT_THAT(repair().done, IsEmpty()) << "once is enough";
}

TEST_P(RepairContractTest, ADeletedOrdersUnitGoesBack) {
    verbs_.sql("DELETE FROM orders WHERE order_no = 1002");
    EXPECT_THAT(repair().done, ElementsAre("sale 1: held went from 3 to 2, as its orders hold"));
    EXPECT_EQ(verbs_.held(sale_), 2);
    EXPECT_THAT(log(1), ElementsAre("repaired: stock 10 -> 10, held 3 -> 2"));
    EXPECT_TRUE(adds_up());
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RepairContractTest, AStockFigureChangedByHandIsEnteredInTheLog) {
    verbs_.sql("UPDATE sales SET stock = 12 WHERE id = 1");
    EXPECT_THAT(repair().open, IsEmpty());
    EXPECT_THAT(log(1), ElementsAre("repaired: stock 10 -> 12, held 3 -> 3"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RepairContractTest, AStockLogThatWasLostBeginsAgain) {
    verbs_.sql("DELETE FROM stock_log WHERE sale_id = 1");
    EXPECT_THAT(repair().open, IsEmpty());
    EXPECT_THAT(log(9), ElementsAre("repaired: stock 0 -> 10, held 0 -> 3"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RepairContractTest, AClosedOrderLosesItsMarkAndItsUnitGoesBack) {
    verbs_.sql("UPDATE orders SET state = 'closed' WHERE order_no = 1002");
    EXPECT_THAT(repair().done, ElementsAre("order 1002: is closed: its mark was removed",
                                           "sale 1: held went from 3 to 2, as its orders hold"));
    EXPECT_EQ(repair_events("1002", "closed"), 1);
    EXPECT_THAT(verbs_.check(), IsEmpty());
    EXPECT_EQ(verbs_.enter({verbs_.promise(sale_, 2)}).entered, 1U) << "the buyer may buy again";
}

TEST_P(RepairContractTest, AnOrderThatHoldsGetsItsMark) {
    verbs_.sql("UPDATE orders SET mark = NULL WHERE order_no IN (1001, 1004)");
    verbs_.sql("UPDATE orders SET mark = order_no WHERE order_no = 1003");
    EXPECT_THAT(repair().done, ElementsAre("order 1001: is unpaid: its mark was set",
                                           "order 1003: is unpaid: its mark was set"));
    EXPECT_THAT(repair(wide_).done, ElementsAre("order 1004: is unpaid: its mark was set"));
    EXPECT_EQ(verbs_.number("SELECT mark FROM orders WHERE order_no = 1001"), 0);
    EXPECT_EQ(verbs_.number("SELECT mark FROM orders WHERE order_no = 1004"), 1004);
    EXPECT_EQ(repair_events("1001", "unpaid"), 1);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RepairContractTest, APlaceThatOneOrderLosesIsFreeForTheOther) {
    verbs_.sql("UPDATE orders SET state = 'closed' WHERE order_no = 1002");
    verbs_.sql("UPDATE orders SET buyer_id = 2, mark = NULL WHERE order_no = 1001");
    EXPECT_THAT(repair().open, IsEmpty());
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RepairContractTest, TwoOrdersForOnePlaceAreNotDecided) {
    verbs_.sql("UPDATE orders SET buyer_id = 1, mark = NULL WHERE order_no = 1002");
    const auto report = repair();
    EXPECT_THAT(report.done, IsEmpty());
    EXPECT_THAT(report.open, ElementsAre("order 1002: is unpaid, but its mark says not held",
                                         "sale 1: buyer 1 has 2 units, the limit is 1"));
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM order_events"), 0);
}

TEST_P(RepairContractTest, MoreSoldThanThereIsIsNotDecided) {
    verbs_.sql("UPDATE orders SET quantity = 9 WHERE order_no = 1001");
    const auto report = repair();
    EXPECT_THAT(report.done, IsEmpty());
    EXPECT_THAT(report.open, Contains("sale 1: oversold by 1: its orders hold 11 of 10"));
    EXPECT_EQ(verbs_.held(sale_), 3);
}

TEST_P(RepairContractTest, AnOrderThatCannotBeReadKeepsItsUnit) {
    verbs_.sql("UPDATE orders SET state = 'lost' WHERE order_no = 1002");
    const auto report = repair();
    EXPECT_THAT(report.done, IsEmpty());
    EXPECT_THAT(report.open, Contains("order 1002: the state lost has no place in the book"));
    EXPECT_EQ(verbs_.held(sale_), 3);
    verbs_.sql("UPDATE orders SET state = 'closed' WHERE order_no = 1002");
    EXPECT_THAT(repair().open, IsEmpty()) << "once somebody has said what it is";
    EXPECT_EQ(verbs_.held(sale_), 2);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(RepairContractTest, ALineChangedByHandIsAccountedFor) {
    verbs_.sql("UPDATE stock_log SET held_before = 1 WHERE sale_id = 1 AND kind = 'entered'");
    const auto report = repair();
    EXPECT_THAT(report.done, ElementsAre(HasSubstr("log line 3 starts from stock 10 held 1")));
    EXPECT_THAT(report.open, IsEmpty());
    EXPECT_EQ(verbs_.check(), findings{});
}

TEST_P(RepairContractTest, AFailureAtAnyStatementLeavesEverythingAsItWas) {
    scratch_directory directory;
    auto real = GetParam().open(directory);
    const auto how = std::make_shared<tampering>();
    how->dialect = real->speaks();
    book_verbs verbs(tamper(std::move(real), how));
    const auto sale = verbs.add_sale({.stock = 10});
    const auto a = verbs.promise(sale, 1), b = verbs.promise(sale, 2);
    verbs.enter({a, b});
    const auto replayed = verbs.put_aside(verbs.promise(sale, 3)),
               discarded = verbs.put_aside(verbs.promise(sale, 4)),
               again = verbs.put_aside(verbs.promise(sale, 5));
    const auto aside = verbs.promise(sale, 6);
    const sale::sequence next{verbs.entered().value + 1};
    verbs.sql("UPDATE orders SET state = 'closed' WHERE order_no = 1001");
    verbs.sql("UPDATE orders SET mark = NULL WHERE order_no = 1002");
    verbs.sql("UPDATE sales SET held = 5");
    const auto sums = [&] {
        return std::vector{verbs.number("SELECT SUM(held) FROM sales"),
                           verbs.number("SELECT COUNT(*) FROM orders"),
                           verbs.number("SELECT COUNT(mark) FROM orders"),
                           verbs.number("SELECT SUM(mark IS NULL) * 1000 FROM orders WHERE "
                                        "order_no = 1001"),
                           verbs.number("SELECT COUNT(*) FROM stock_log"),
                           verbs.number("SELECT COUNT(*) FROM order_events"),
                           verbs.number("SELECT SUM(attempts) FROM letters"),
                           verbs.number("SELECT COUNT(*) FROM letters WHERE state = 'waiting'"),
                           verbs.number("SELECT position FROM journal_position")};
    };
    const auto fail_everywhere = [&](const char* what, const auto& act) {
        const auto before = sums();
        int failures = 0;
        for (int at = 1;; ++at, ++failures) {
            int countdown = at;
            how->before = [&] {
                if (--countdown == 0) throw store::sql_error(store::sql_failure::other, "as told");
            };
            const auto got = outcome(act());
            how->before = nullptr;
            if (countdown > 0) {
                EXPECT_EQ(got, fine) << what;
                break;
            }
            ASSERT_EQ(got, errc::store_unavailable) << what << " statement " << at;
            ASSERT_EQ(sums(), before) << what << " statement " << at;
        }
        EXPECT_GT(failures, 2) << what;
        EXPECT_NE(sums(), before) << what;
    };
    auto& letters = verbs.book().letters();
    fail_everywhere("put aside", [&] { return letters.put_aside(aside, next, {}); });
    fail_everywhere("set back", [&] { return letters.set_back(again, {}); });
    fail_everywhere("discard", [&] { return letters.discard(discarded, {}, "", later); });
    fail_everywhere("repair", [&] { return verbs.book().tallies().repair(sale, "", later); });
    fail_everywhere("replay", [&] { return letters.replay(replayed, {}, later); });
    EXPECT_THAT(verbs.check(), IsEmpty());
}

// Somebody changes a figure by hand, and the sale goes on selling from there.
TEST_P(RepairContractTest, AGapInsideTheLogIsAccountedForOnce) {
    const auto sale = verbs_.add_sale();
    verbs_.enter({verbs_.promise(sale, 1)});
    verbs_.sql("UPDATE sales SET held = held + 2 WHERE id = " + std::to_string(sale.value));
    verbs_.enter({verbs_.promise(sale, 2)});
    EXPECT_EQ(verbs_.held(sale), 4);
    const auto report = book_.tallies().repair(sale, "by hand", noon).value();
    EXPECT_THAT(report.done, testing::SizeIs(2)) << "the gap, and held";
    EXPECT_THAT(report.open, testing::IsEmpty());
    EXPECT_EQ(verbs_.held(sale), 2);
    EXPECT_EQ(verbs_.check(), findings{});
    EXPECT_TRUE(adds_up());
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM stock_log WHERE kind = 'accounted'"), 1);

    EXPECT_THAT(book_.tallies().repair(sale, "again", noon).value().done, testing::IsEmpty());
    verbs_.enter({verbs_.promise(sale, 3)});
    EXPECT_EQ(verbs_.check(), findings{});
}

}  // namespace
}  // namespace floodgate::ledger
