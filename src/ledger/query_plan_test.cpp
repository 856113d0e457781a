// The plans of the databases for queries that a buyer may repeat at will: they must use an index in
// the order of the result. A test of times would say less and vary from run to run.

#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::HasSubstr;
using testing::Not;

// Takes the last statement of the ledger and asks the database for its plan.
class QueryPlanContractTest : public testing::TestWithParam<database_kind> {
protected:
    static constexpr std::int64_t mill = 7;  // the buyer with many orders

    static constexpr std::int64_t orders = 300;

    // The mill's orders have timed out; those of a crowd have not.
    void SetUp() override {
        sale_ = verbs_.add_sale({.stock = 10'000, .limit = 1000});
        std::vector<sale::promise> mills, crowds;
        for (std::int64_t i = 0; i < orders; ++i) mills.push_back(verbs_.promise(sale_, mill));
        for (std::int64_t b = 0; b < 2000; ++b) crowds.push_back(verbs_.promise(sale_, 100 + b));
        verbs_.enter(mills);
        const auto closed = book_.moves().close_due(noon + std::chrono::hours(1), orders + 1);
        ASSERT_EQ(closed.value().closed.size(), mills.size());
        verbs_.enter(crowds);
        if (!is_sqlite()) learn_sizes();
        how_->after = [this](std::string_view sql) { asked_ = sql; };
    }
    // MariaDB does this by itself, but not at once.
    void learn_sizes() {
        const auto c = verbs_.db().writer();
        auto rows = c->ask("ANALYZE TABLE orders, order_events, trades, refunds");
        while (rows.next()) {
        }
    }
    std::unique_ptr<store::database> open() {
        auto real = GetParam().open(directory_);
        how_->dialect = real->speaks();
        return tamper(std::move(real), how_);
    }
    bool is_sqlite() { return verbs_.db().speaks().name == store::sqlite_dialect.name; }

    template <class... Values>
    std::string plan(const Values&... values) {
        const std::string sql = (is_sqlite() ? "EXPLAIN QUERY PLAN " : "EXPLAIN ") + asked_;
        const auto c = verbs_.db().reader();
        store::row_cursor rows = c->ask(sql, values...);
        std::string all;
        while (rows.next()) {
            if (is_sqlite())
                all += rows.get<std::string>(3) + "; ";
            else  // type, key, extra
                all += rows.get<std::string>(3) + " " + rows.get<std::string>(5) + " " +
                       rows.get<std::string>(9) + "; ";
        }
        return all;
    }
    static void expect_no_sort(const std::string& plan) {
        EXPECT_THAT(plan, Not(HasSubstr("TEMP B-TREE FOR ORDER")));
        EXPECT_THAT(plan, Not(HasSubstr("filesort")));
    }

    scratch_directory directory_;
    std::shared_ptr<tampering> how_ = std::make_shared<tampering>();
    book_verbs verbs_{open()};
    ledger& book_ = verbs_.book();
    sale::sale_id sale_;
    std::string asked_;
};
INSTANTIATE_TEST_SUITE_P(Over, QueryPlanContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(QueryPlanContractTest, ABuyersOrdersAreReadInTheOrderOfTheirPages) {
    ASSERT_EQ(book_.orders().of_buyer({mill}, {}, 1).value().size(), 1U);
    const std::string first = plan(mill, INT64_MAX, std::int64_t{1});
    EXPECT_THAT(first, HasSubstr("orders_of_buyer"));
    expect_no_sort(first);
    const auto page = book_.orders().of_buyer({mill}, {}, 20).value();
    const auto before = static_cast<std::int64_t>(page.back().no.value);
    const std::string next = plan(mill, before, std::int64_t{20});
    EXPECT_THAT(next, testing::AnyOf(HasSubstr("orders_of_buyer (buyer_id=? AND order_no<?)"),
                                     HasSubstr("range orders_of_buyer")))
        << "it begins where the page begins";
    expect_no_sort(next);
}

TEST_P(QueryPlanContractTest, WhoLetOrdersGoIsReadFromOneIndexAlone) {
    const auto most = book_.moves().given_up_most(sale_, 5).value();
    ASSERT_EQ(most.size(), 1U);
    EXPECT_EQ(most[0].times, orders);
    EXPECT_THAT(plan(sale_, std::int64_t{5}), HasSubstr("order_events_of_sale"));
    ASSERT_EQ(book_.moves().given_up_since(sale_, noon).value().size(), 1U);
    const std::string lately = plan(sale_, noon);
    EXPECT_THAT(lately, HasSubstr("order_events_of_sale"));
    EXPECT_THAT(lately, testing::AnyOf(HasSubstr("COVERING INDEX"), HasSubstr("Using index")));
}

// Regression: once there was an index of a buyer's orders, MariaDB used it here as well. A batch
// took seconds, and an admin who wanted to pause the sale waited for it.
TEST_P(QueryPlanContractTest, TheUnitsOfABuyerAreSummedUpByTheUniqueKey) {
    how_->after = [this](std::string_view sql) {
        if (sql.starts_with("SELECT SUM(quantity)")) asked_ = sql;
    };
    const std::vector<sale::promise> one{verbs_.promise(sale_, mill)};
    verbs_.enter(one);
    const std::string found = plan(sale_.value, mill);
    EXPECT_THAT(found, HasSubstr("buyer_id"));
    EXPECT_THAT(found, Not(HasSubstr("orders_of_buyer")));
}

}  // namespace
}  // namespace floodgate::ledger
