#include "shop/reconciliation_desk.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "shop/desk_fixture.hpp"
#include "shop/kept_source.hpp"

namespace floodgate::shop {
namespace {

using testing::HasSubstr;

class ReconciliationDeskTest : public DeskTest {
protected:
    // Three orders of one unit, all in the book.
    ReconciliationDeskTest() {
        for (std::int64_t buyer = 1; buyer <= 3; ++buyer) buy(sale_, buyer);
        verbs_.enter(line_.kept);
        node_.catalogue_changes = 0;
    }
    void damage_held() {
        verbs_.sql(fmt::format("UPDATE sales SET held = held + 2 WHERE id = {}", sale_.value));
    }
    void lose_at_gate(std::size_t order) {
        const sale::promise& p = line_.kept.at(order);
        turnstile_.release(p.sale, p.buyer, p.order);
    }
    std::int64_t taken() { return turnstile_.look_up(sale_)->taken; }

    const sale::sale_id sale_ = open_sale(10);
    kept_source source_{line_};
    journal_in_flight between_{book_, source_, [this] { return line_.durable(); }};
    reconciliation_desk reconciliation_{{{book_, gate_, between_}, desk_, node_, clock_}};
};

TEST_F(ReconciliationDeskTest, HasNoLatestLookUntilOneIsPublished) {
    EXPECT_EQ(reconciliation_.latest().at, never);
    reconciliation_.publish({.at = clock_.now(), .sales = {{.sale = sale_, .stock = 10}}});
    EXPECT_EQ(reconciliation_.latest().at, clock_.now());
    EXPECT_EQ(reconciliation_.latest().sales.size(), 1U);
}

TEST_F(ReconciliationDeskTest, ALookShowsTheSaleAsItIsNow) {
    const sale::balance fine = reconciliation_.look_now(sale_).value();
    EXPECT_EQ(fine.free, 7);
    EXPECT_EQ(fine.unpaid, 3);
    EXPECT_EQ(fine.off_by(), 0);
    EXPECT_THAT(fine.differences, testing::IsEmpty());

    lose_at_gate(1);
    const sale::balance wrong = reconciliation_.look_now(sale_).value();
    EXPECT_NE(wrong.off_by(), 0);
    EXPECT_THAT(wrong.differences, testing::ElementsAre(HasSubstr("of buyer 2: holds 1 unit")));
    EXPECT_EQ(reconciliation_.look_now({999}).error(), make_error_code(errc::not_found));
}

TEST_F(ReconciliationDeskTest, ALookRenewsTheFiguresAndKeepsTheJudgement) {
    const auto other = open_sale(4);
    reconciliation_.publish({.at = clock_.now(),
                             .sales = {{.sale = sale_,
                                        .stock = 10,
                                        .unpaid = 9,
                                        .differences = {"as judged"},
                                        .wrong_since = ledger::noon}}});
    EXPECT_EQ(reconciliation_.look_now(sale_)->wrong_since, ledger::noon);
    EXPECT_TRUE(reconciliation_.look_now(other).has_value());
    const auto sales = reconciliation_.latest().sales;
    ASSERT_EQ(sales.size(), 2U) << "one that was made after the latest look is shown too";
    EXPECT_EQ(sales[0].unpaid, 3);
    EXPECT_THAT(sales[0].differences, testing::ElementsAre("as judged"));
    EXPECT_EQ(sales[1].sale, other);
    EXPECT_EQ(sales[1].free, 4);
}

TEST_F(ReconciliationDeskTest, ARepairOfTheBookAloneIsSignedOnce) {
    damage_held();
    const auto report =
        reconciliation_.repair(sale_, "by hand", {.who = {7}, .address = "192.0.2.0/24"}).value();
    EXPECT_THAT(report.done, testing::Contains(HasSubstr("held went from 5 to 3")));
    EXPECT_THAT(actions(), testing::ElementsAre("sale.repaired"));
    const ledger::audit_line line = audit().front();
    EXPECT_EQ(line.who, sale::user_id{7});
    EXPECT_EQ(line.address, "192.0.2.0/24");
    EXPECT_EQ(line.subject, fmt::format("sale {}", sale_.value));
    EXPECT_THAT(line.details, HasSubstr("held says 5"));
    EXPECT_THAT(line.details, HasSubstr(R"("note":"by hand")"));
    EXPECT_EQ(node_.repairs, 1);
    EXPECT_EQ(node_.catalogue_changes, 1);
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

TEST_F(ReconciliationDeskTest, ARepairOfTheGateIsSignedOnceMoreWithAllOfIt) {
    damage_held();
    lose_at_gate(1);
    const auto report = reconciliation_.repair(sale_, "by hand", admin_).value();
    EXPECT_EQ(taken(), 3);
    EXPECT_THAT(actions(), testing::ElementsAre("sale.repaired", "sale.repaired"));
    EXPECT_THAT(audit()[0].details, HasSubstr("the gate holds its 1 unit again"));
    EXPECT_THAT(audit()[1].details, testing::Not(HasSubstr("the gate holds")));
    for (const std::string& what : report.done)
        EXPECT_THAT(audit()[0].details, HasSubstr(what)) << "the second line has all of it";
}

TEST_F(ReconciliationDeskTest, TheGateTakesOverTheBooksStock) {
    ASSERT_TRUE(book_.catalogue().change_stock(sale_, 5, "unseen", clock_.now()).has_value());
    const auto report = reconciliation_.repair(sale_, "by hand", admin_).value();
    EXPECT_THAT(report.done, testing::ElementsAre(HasSubstr("stock went from 10 to 15")));
    EXPECT_EQ(turnstile_.look_up(sale_)->stock, 15);
    EXPECT_THAT(reconciliation_.repair(sale_, "again", admin_)->done, testing::IsEmpty());
}

TEST_F(ReconciliationDeskTest, NothingIsRepairedWhenTheLineCannotBeWritten) {
    damage_held();
    lose_at_gate(1);
    how_->after = [](std::string_view sql) {
        if (sql.starts_with("INSERT INTO audit"))
            throw store::sql_error(store::sql_failure::other, "the disk is full");
    };
    EXPECT_FALSE(reconciliation_.repair(sale_, "by hand", admin_).has_value());
    how_->after = nullptr;
    EXPECT_EQ(verbs_.held(sale_), 5);
    EXPECT_EQ(taken(), 2);
    EXPECT_THAT(actions(), testing::IsEmpty());
    EXPECT_EQ(node_.repairs, 0);
}

TEST_F(ReconciliationDeskTest, ASaleThatDoesNotExistIsNotRepaired) {
    EXPECT_EQ(reconciliation_.repair({999}, "by hand", admin_).error(),
              make_error_code(errc::not_found));
    EXPECT_THAT(actions(), testing::IsEmpty());
    EXPECT_EQ(node_.repairs, 0);
}

}  // namespace
}  // namespace floodgate::shop
