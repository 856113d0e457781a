// Every sale's stock counted from its orders, and what is found when a row was changed by hand.

#include "ledger/tally_book.hpp"

#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class TallyContractTest : public LedgerContractTest {
protected:
    TallyContractTest() {
        sale_ = verbs_.add_sale({.stock = 10});
        wide_ = verbs_.add_sale({.stock = 10, .limit = 3});
        for (int buyer = 1; buyer <= 3; ++buyer) batch_.push_back(verbs_.promise(sale_, buyer));
        batch_.push_back(verbs_.promise(wide_, 1, 2));
        verbs_.enter(batch_);
    }
    sale_tally of(sale::sale_id id) {
        for (const sale_tally& s : tallies_.take().value().sales)
            if (s.sale == id) return s;
        throw std::runtime_error("no such sale");
    }
    findings explain() { return tallies_.explain(sale_).value(); }

    tally_book& tallies_ = book_.tallies();
    sale::sale_id sale_, wide_;
    std::vector<sale::promise> batch_;
};
INSTANTIATE_TEST_SUITE_P(Over, TallyContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(TallyContractTest, ASaleIsSettledWithoutUnpaidOrdersAndOpenLetters) {
    EXPECT_FALSE(tallies_.is_settled(wide_).value());
    verbs_.sql("UPDATE orders SET state = 'paid' WHERE sale_id = 2");
    EXPECT_TRUE(tallies_.is_settled(wide_).value());
    const auto letter = verbs_.put_aside(verbs_.promise(wide_, 8));
    EXPECT_FALSE(tallies_.is_settled(wide_).value());
    EXPECT_EQ(outcome(book_.letters().discard(letter, {}, "gone", noon)), fine);
    EXPECT_TRUE(tallies_.is_settled(wide_).value());
}

TEST_P(TallyContractTest, ASaleWasSoldOnceItHadAnOrderOrALetter) {
    EXPECT_TRUE(tallies_.was_sold(sale_).value());
    const auto fresh = verbs_.add_sale();
    EXPECT_FALSE(tallies_.was_sold(fresh).value());
    verbs_.put_aside(verbs_.promise(fresh, 8));
    EXPECT_TRUE(tallies_.was_sold(fresh).value());
}

TEST_P(TallyContractTest, UnitsAreCountedByState) {
    std::vector<sale::promise> more;
    for (int buyer = 2; buyer <= 6; ++buyer) more.push_back(verbs_.promise(wide_, buyer));
    more.push_back(verbs_.promise(wide_, 7, 9));
    verbs_.enter(more);
    verbs_.sql("UPDATE orders SET state = 'paid' WHERE sale_id = 2 AND buyer_id = 1");
    verbs_.sql("UPDATE orders SET state = 'refunding' WHERE sale_id = 2 AND buyer_id = 2");
    verbs_.close(more[1].order);
    verbs_.close(more[2].order);
    verbs_.sql("UPDATE orders SET state = 'refunded' WHERE sale_id = 2 AND buyer_id = 4");
    const auto aside = verbs_.put_aside(verbs_.promise(wide_, 8, 3));
    book_.letters().replay(verbs_.put_aside(verbs_.promise(wide_, 9)), {}, noon).value();

    const sale_tally s = of(wide_);
    EXPECT_EQ(s.stock, 10);
    EXPECT_EQ(s.held, 6);
    EXPECT_EQ(s.log_stock, 10);
    EXPECT_EQ(s.log_held, 6);
    EXPECT_EQ(s.paid, 2);
    EXPECT_EQ(s.refunding, 1);
    EXPECT_EQ(s.unpaid, 3);
    EXPECT_EQ(s.closed, 1);
    EXPECT_EQ(s.refunded, 1);
    EXPECT_EQ(s.failed, 9);
    EXPECT_EQ(s.letters, 3);
    EXPECT_TRUE(s.adds_up());
    EXPECT_EQ(of(sale_).unpaid, 3);
    EXPECT_EQ(of(sale_).letters, 0);
    EXPECT_TRUE(of(sale_).adds_up());
    EXPECT_EQ(tallies_.take().value().position(), book_.orders().position().value());
    book_.letters().discard(aside, {}, "", noon).value();
    EXPECT_EQ(of(wide_).letters, 0);
    EXPECT_TRUE(of(wide_).adds_up());
}

TEST_P(TallyContractTest, AnOrderOfNoSaleIsNobodys) {
    verbs_.enter({verbs_.promise({999}, 1)});
    EXPECT_EQ(tallies_.take().value().sales.size(), 2U);
    EXPECT_EQ(outcome(tallies_.explain({999})), errc::not_found);
}

TEST_P(TallyContractTest, AnUntouchedSaleHasNothingToExplain) { EXPECT_THAT(explain(), IsEmpty()); }

TEST_P(TallyContractTest, AHeldFigureChangedByHand) {
    verbs_.sql("UPDATE sales SET held = 4 WHERE id = 1");
    EXPECT_FALSE(of(sale_).adds_up());
    EXPECT_TRUE(of(wide_).adds_up());
    EXPECT_THAT(explain(), ElementsAre("sale 1: held says 4, its orders hold 3",
                                       "sale 1: the log ends at stock 10 held 3, the sale is at "
                                       "stock 10 held 4"));
    EXPECT_THAT(tallies_.explain(wide_).value(), IsEmpty()) << "another sale is not in it";
}

TEST_P(TallyContractTest, AStockFigureChangedByHand) {
    verbs_.sql("UPDATE sales SET stock = 11 WHERE id = 1");
    EXPECT_FALSE(of(sale_).adds_up());
    EXPECT_THAT(explain(), ElementsAre(HasSubstr("the sale is at stock 11 held 3")));
}

TEST_P(TallyContractTest, AnOrdersStateChangedByHand) {
    verbs_.sql("UPDATE orders SET state = 'closed' WHERE order_no = 1002");
    EXPECT_FALSE(of(sale_).adds_up());
    EXPECT_THAT(explain(), Contains("order 1002: is closed, but its mark says held"));
    verbs_.sql("UPDATE orders SET mark = NULL WHERE order_no = 1002");
    EXPECT_THAT(explain(), ElementsAre("sale 1: held says 3, its orders hold 2",
                                       "order 1002: is closed, but no event says so"))
        << "also when the mark was changed with it";
}

TEST_P(TallyContractTest, AStateThatIsNotWhatTheLastEventSays) {
    verbs_.close(batch_[1].order);
    verbs_.sql(
        "INSERT INTO order_events (order_no, buyer_id, sale_id, from_state, to_state, reason, "
        "at_ms) VALUES (1002, 2, 1, 'unpaid', 'closed', 'timed_out', 0)");
    EXPECT_THAT(explain(), IsEmpty());
    verbs_.sql("UPDATE orders SET state = 'unpaid', mark = 0 WHERE order_no = 1002");
    EXPECT_FALSE(of(sale_).adds_up());
    EXPECT_THAT(explain(), Contains("order 1002: is unpaid, but its last event says closed"));
}

TEST_P(TallyContractTest, AStateThatIsNone) {
    verbs_.sql("UPDATE orders SET state = 'lost' WHERE order_no = 1002");
    EXPECT_FALSE(of(sale_).adds_up());
    EXPECT_THAT(explain(), Contains("order 1002: the state lost has no place in the book"));
}

TEST_P(TallyContractTest, ADeletedOrderIsMissedByTheLineThatEnteredIt) {
    verbs_.enter({verbs_.promise(sale_, 8), verbs_.promise(sale_, 9)});
    verbs_.sql("DELETE FROM orders WHERE order_no = 1002");
    EXPECT_FALSE(of(sale_).adds_up());
    EXPECT_THAT(explain(), ElementsAre("sale 1: held says 5, its orders hold 4",
                                       "sale 1: log line 3 entered 3 units in orders 1001 to 1003, "
                                       "the book has 2 of them"));
}

TEST_P(TallyContractTest, AnOrderWrittenByHandWasNeverEntered) {
    verbs_.sql(
        "INSERT INTO orders SELECT 5000, sale_id, 50, 2, amount_fen, amount_points, state, reason, "
        "created_ms, pay_by_ms, idempotency_key, mark, 0, '', 0, 0, '', 0, 0, 0 FROM orders "
        "WHERE order_no = 1002");
    EXPECT_FALSE(of(sale_).adds_up());
    EXPECT_THAT(explain(), Contains("order 5000: no line of the stock log entered it"));
}

TEST_P(TallyContractTest, AnOrderThatWasPutAsideIsFoundInTheLineOfItsReplay) {
    const auto early = verbs_.promise(sale_, 11), bad = verbs_.promise(sale_, 12),
               late = verbs_.promise(sale_, 13);
    const auto id = verbs_.put_aside(bad);
    verbs_.enter({early, late});
    book_.letters().replay(id, {}, noon).value();
    verbs_.sql("UPDATE sales SET held = 7 WHERE id = 1");
    EXPECT_THAT(explain(), Not(Contains(HasSubstr("entered")))) << "overlapping ranges are fine";
    verbs_.sql("DELETE FROM orders WHERE order_no = " + std::to_string(bad.order.value));
    EXPECT_THAT(explain(), Contains(HasSubstr("entered 1 units in orders 1006 to 1006, the book "
                                              "has 0 of them")));
}

TEST_P(TallyContractTest, LettersThatContradictTheOrders) {
    const auto open = verbs_.promise(sale_, 4), gone = verbs_.promise(sale_, 5),
               strange = verbs_.promise(sale_, 6);
    verbs_.put_aside(open);
    book_.letters().discard(verbs_.put_aside(gone), {}, "", noon).value();
    verbs_.put_aside(strange);
    EXPECT_THAT(explain(), IsEmpty());
    verbs_.enter({open});
    verbs_.sql("DELETE FROM orders WHERE order_no = 1006");
    verbs_.sql("UPDATE letters SET state = 'lost' WHERE order_no = 1007");
    const auto what = ElementsAre("letter 1: is waiting, but order 1005 is in the book",
                                  "letter 2: is discarded, but order 1006 is not in the book",
                                  "letter 3: the state lost is none");
    EXPECT_THAT(explain(), what);
    auto all = verbs_.check();  // sees the event of the lost order, too
    EXPECT_EQ(all.back(), "event 1: there is no order 1006");
    all.pop_back();
    EXPECT_THAT(all, what);
    EXPECT_THAT(tallies_.explain(wide_).value(), IsEmpty());
}

TEST_P(TallyContractTest, WhatHoldsUnitsOfASaleInOrderOfNumber) {
    auto aside = verbs_.promise(sale_, 5);
    aside.key.fill(std::byte{0x5a});
    const auto after = verbs_.promise(sale_, 6), last = verbs_.promise(sale_, 7),
               elsewhere = verbs_.promise(wide_, 7), twice = verbs_.promise(sale_, 8);
    verbs_.put_aside(last);
    verbs_.put_aside(aside);
    verbs_.put_aside(elsewhere);
    verbs_.put_aside(twice);
    verbs_.enter({after, twice});
    verbs_.close(batch_[1].order);
    verbs_.sql("UPDATE orders SET state = 'paid' WHERE order_no = 1003");
    std::vector<held_order> all;
    tallies_.for_each_held(sale_, [&](const held_order& o) { all.push_back(o); }).value();
    std::vector<sale::order_no> numbers;
    numbers.reserve(all.size());
    for (const held_order& o : all) numbers.push_back(o.no);
    EXPECT_THAT(numbers, ElementsAre(batch_[0].order, batch_[2].order, aside.order, after.order,
                                     last.order, twice.order));
    EXPECT_EQ(all[2].sale, sale_);
    EXPECT_EQ(all[2].buyer, aside.buyer);
    EXPECT_EQ(all[2].quantity, 1U);
    EXPECT_EQ(all[2].key, aside.key);
    EXPECT_EQ(all[3].key, sale::no_key);
}

TEST(TallyPlanTest, OrdersAreCountedFromTheirIndexAndTheLogIsNotRead) {
    const auto how = std::make_shared<tampering>();
    how->dialect = store::sqlite_dialect;
    book_verbs verbs(tamper(store::open_sqlite({.path = ":memory:"}), how));
    std::vector<std::string> asked;
    how->after = [&](std::string_view sql) {
        if (sql.starts_with("SELECT")) asked.emplace_back(sql);
    };
    verbs.book().tallies().take().value();
    how->after = nullptr;

    std::vector<std::string> plan;
    const auto c = verbs.db().reader();
    for (const std::string& sql : asked) {
        auto rows = c->ask("EXPLAIN QUERY PLAN " + sql);
        while (rows.next()) plan.push_back(rows.get<std::string>(3));
    }
    EXPECT_THAT(plan, Contains("SCAN orders USING COVERING INDEX orders_tally"));
    EXPECT_THAT(plan, Contains(HasSubstr("INDEX stock_log_of_sale (sale_id=?)")));
    EXPECT_THAT(plan, Not(Contains("SCAN orders")));
    EXPECT_THAT(plan, Not(Contains(HasSubstr("SCAN stock_log"))));
    EXPECT_THAT(plan, Not(Contains("SCAN l")));
}

}  // namespace
}  // namespace floodgate::ledger
