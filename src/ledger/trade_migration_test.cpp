// Step 9 of the schema: orders that had one payment, with which all old versions worked.

#include <optional>

#include "ledger/migrations.hpp"
#include "ledger/move_fixture.hpp"
#include "ledger/settlements.hpp"
#include "store/sql/mariadb_scratch.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// An order of version 8 with its payment and its events.
struct old_order {
    std::int64_t no;
    const char* state;
    const char* reason;
    const char* question;  // nullptr: no payment was begun
    const char* cause;
    const char* paid_with;
    std::vector<const char*> events;  // from > to, each a second after the one before
};

const std::vector<old_order> old_orders{
    {1, "unpaid", "", nullptr, "", "", {}},
    {2, "unpaid", "", "", "", "test", {}},
    {3, "unpaid", "", "close", "cancelled", "test", {}},
    {4, "unpaid", "", "close", "timed_out", "points", {}},
    {5, "paid", "", "", "", "test", {"unpaid", "paid"}},
    {6, "refunding", "", "refund", "", "test", {"unpaid", "paid", "refunding"}},
    {7, "refunded", "", "", "", "test", {"unpaid", "paid", "refunding", "refunded"}},
    {8, "refunded", "", "", "", "points", {"unpaid", "paid", "refunding", "refunded"}},
    {9, "closed", "cancelled", nullptr, "", "", {"unpaid", "closed"}},
    {10, "closed", "timed_out", "", "", "test", {"unpaid", "closed"}},
    {11, "closed", "cancelled", "refund", "", "test", {"unpaid", "closed"}},
    {12, "failed", "unknown_sale", "refund", "", "none", {}},
};

class TradeMigrationTest : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        if (!is_sqlite() && !store::test_server()) GTEST_SKIP() << "no server";
        if (!is_sqlite()) scratch_.emplace();
        {
            const auto db = open();
            migrate(*db, migrations().first(8));
            fill(*db);
        }
        verbs_.emplace(open());
        orders_.emplace(*verbs_);
        ASSERT_EQ(verbs_->add_sale({.stock = 99}).value, 1);
        verbs_->sql("UPDATE sales SET held = 6");
    }
    bool is_sqlite() const { return GetParam() == std::string_view("Sqlite"); }
    std::unique_ptr<store::database> open() {
        if (scratch_) return store::open_mariadb(scratch_->options());
        return store::open_sqlite({.path = directory_.file("ledger.db")});
    }

    static instant second(std::size_t n) { return noon + std::chrono::seconds(n); }
    static bool holds(const old_order& o) {
        return sale::holds_stock(*sale::parse_order_state(o.state));
    }
    static void fill(store::database& db) {
        const auto c = db.writer();
        for (const old_order& o : old_orders) {
            c->run(
                "INSERT INTO orders (order_no, sale_id, buyer_id, quantity, amount_fen, "
                "amount_points, state, reason, created_ms, pay_by_ms, mark) VALUES (?, ?, ?, 1, "
                "9900, 50, ?, ?, ?, ?, ?)",
                o.no, o.state == std::string_view("failed") ? 999 : 1, o.no,
                std::string_view(o.state), std::string_view(o.reason), noon, second(600),
                holds(o) ? std::optional<std::int64_t>(0) : std::nullopt);
            if (o.question)
                c->run("INSERT INTO payments VALUES (?, ?, ?, ?, ?, 3, ?, ?, 'a note')", o.no,
                       std::string_view(o.paid_with), noon, std::string_view(o.question),
                       std::string_view(o.cause), second(60), second(70));
            for (std::size_t i = 1; i < o.events.size(); ++i)
                c->run(
                    "INSERT INTO order_events (order_no, buyer_id, sale_id, from_state, to_state, "
                    "reason, at_ms) VALUES (?, ?, 1, ?, ?, '', ?)",
                    o.no, o.no, std::string_view(o.events[i - 1]), std::string_view(o.events[i]),
                    second(i));
        }
    }
    static sale::promise promise(std::uint64_t no) {
        sale::promise p;
        p.order = {no};
        p.buyer = {static_cast<std::int64_t>(no)};
        p.at = noon;
        return p;
    }
    std::vector<std::string> trades(std::uint64_t no) { return orders_->trades(promise(no)); }
    std::vector<std::string> refunds(std::uint64_t no) { return orders_->refunds(promise(no)); }
    // What the inspection says about payments; the rest of this book is made up.
    findings about_payments() {
        findings all = verbs_->check();
        std::erase_if(all, [](const std::string& s) {
            return !s.starts_with("payment") && !s.starts_with("trade") &&
                   !s.starts_with("refund") && s.find("there is no payment") == s.npos;
        });
        return all;
    }

    scratch_directory directory_;
    std::optional<store::mariadb_scratch> scratch_;
    std::optional<book_verbs> verbs_;
    std::optional<move_verbs> orders_;
};
INSTANTIATE_TEST_SUITE_P(Over, TradeMigrationTest, testing::Values("Sqlite", "MariaDb"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(TradeMigrationTest, EveryOldPaymentBecomesATradeThatTheInspectionAccepts) {
    EXPECT_THAT(about_payments(), IsEmpty());
    EXPECT_THAT(trades(1), IsEmpty());
    EXPECT_THAT(trades(2), ElementsAre("test open"));
    EXPECT_THAT(trades(3), ElementsAre("test open asked"));
    EXPECT_THAT(trades(4), ElementsAre("points open asked"));
    for (const std::uint64_t no : {5U, 6U, 7U}) EXPECT_THAT(trades(no), ElementsAre("test paid"));
    EXPECT_THAT(trades(8), ElementsAre("points paid"));
    EXPECT_THAT(trades(10), ElementsAre("test closed"));
    EXPECT_THAT(trades(11), ElementsAre("test extra"));
    EXPECT_THAT(trades(12), ElementsAre("none extra"));

    EXPECT_THAT(refunds(6), ElementsAre("6R1 buyer test 9900 asked"));
    EXPECT_THAT(refunds(7), ElementsAre("7R1 buyer test 9900 done"));
    EXPECT_THAT(refunds(8), ElementsAre("8R1 buyer points 0 done"));
    EXPECT_THAT(refunds(11), ElementsAre("11R1 late test 9900 asked"));
    EXPECT_EQ(verbs_->number("SELECT COUNT(*) FROM refunds"), 5);
    EXPECT_EQ(verbs_->book().orders().find({3}).value().closing, "cancelled");
    EXPECT_EQ(verbs_->book().orders().find({4}).value().closing, "timed_out");
    EXPECT_EQ(verbs_->book().orders().find({7}).value().refunded.value, 9900);
    EXPECT_EQ(verbs_->book().orders().find({8}).value().refunded.value, 0);
}

TEST_P(TradeMigrationTest, TheOpenInquiriesAreThoseThatWereOpen) {
    std::vector<std::string> all;
    for (const auto& q : verbs_->book().moves().all_questions({}, 99).value())
        all.push_back(fmt::format("{} {} {} {} {}", q.order.no.value, q.method,
                                  q.what == question::close ? "close" : q.refund.number, q.tries,
                                  q.note));
    EXPECT_THAT(
        all, ElementsAre("3 test close 3 a note", "4 points close 3 a note", "6 test 6R1 3 a note",
                         "11 test 11R1 3 a note", "12 none 12R1 3 a note"));
    EXPECT_EQ(verbs_->book().moves().oldest_question().value(), second(60));
}

TEST_P(TradeMigrationTest, OldOrdersGoOnAsTheyWould) {
    move_book& moves = verbs_->book().moves();
    EXPECT_GT(moves.close({3}, "test", noon).value().event, 0);
    EXPECT_GT(moves.pay({4}, "points", noon).value().event, 0);
    EXPECT_GT(moves.ask_refund({5}, {}, {.amount = {100}}, noon).value().event, 0);
    EXPECT_GT(moves.finish_refund({6}, "6R1", noon).value().event, 0);
    EXPECT_EQ(verbs_->book().orders().find({6}).value().state, sale::order_state::refunded);
    EXPECT_TRUE(moves.finish_refund({11}, "11R1", noon).value().moved);
    EXPECT_TRUE(moves.finish_refund({12}, "12R1", noon).value().moved);
    EXPECT_EQ(moves.pay({10}, "test", noon).value().money, money_fate::late);
    EXPECT_FALSE(moves.pay({11}, "test", noon).value().moved) << "it is known";
    EXPECT_THAT(about_payments(), IsEmpty());
}

// Over MariaDB every change of the schema is committed alone.
TEST_P(TradeMigrationTest, AStartThatWasCutOffAfterTheLastStatementIsResumed) {
    if (is_sqlite()) GTEST_SKIP() << "it runs in one transaction";
    verbs_->sql("UPDATE schema_version SET version = 8");
    verbs_->sql("UPDATE schema_progress SET statements = statements - 1 WHERE version = 9");
    EXPECT_EQ(migrate(verbs_->db()), migrations().size() - 8);
    EXPECT_THAT(about_payments(), IsEmpty());
    EXPECT_THAT(trades(11), ElementsAre("test extra"));
}

TEST_P(TradeMigrationTest, TheSettlementsAreWhereTheyWere) {
    std::vector<std::string> all;
    for (const settlement& s :
         settlements(verbs_->db()).between({"test", noon, second(999)}).value())
        all.push_back(fmt::format("{} {} {}", s.no.value,
                                  s.kind == money_move::payment ? "paid" : "refunded",
                                  (s.at - noon) / std::chrono::seconds(1)));
    EXPECT_THAT(all, ElementsAre("5 paid 1", "6 paid 1", "7 paid 1", "7 refunded 3", "11 paid 60"));
}

}  // namespace
}  // namespace floodgate::ledger
