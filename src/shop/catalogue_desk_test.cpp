// Products, rounds, terms, stock and warm-up. See also api/catalogue_admin_test.cpp and
// api/sale_admin_test.cpp, which go through the desk.

#include "shop/catalogue_desk.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "shop/desk_fixture.hpp"

namespace floodgate::shop {
namespace {

using enum sale::sale_state;
using ledger::fine;
using ledger::outcome;
using std::chrono::hours;
using strings = std::vector<std::string>;

class CatalogueDeskTest : public DeskTest {
protected:
    std::int64_t stock_in_book(sale::sale_id id) {
        return book_.catalogue().find_sale(id).value().stock;
    }
    std::int64_t stock_at_gate(sale::sale_id id) { return turnstile_.look_up(id)->stock; }
};

TEST_F(CatalogueDeskTest, EveryChangeIsShownAndSigned) {
    sale::product kettle;
    kettle.title = "Kettle";
    const sale::round window{{}, "Noon", ledger::noon, ledger::noon + hours(2)};
    const auto product = desk_.add_product(kettle, admin_).value();
    const auto round = desk_.add_round(window, admin_).value();
    sale::sale terms;
    terms.product = product.id;
    terms.round = round.id;
    terms.stock = 3;
    const auto id = desk_.add_sale(terms, admin_).value().id;
    EXPECT_EQ(outcome(desk_.change_product(product.id, {.title = "Teapot"}, admin_)), fine);
    EXPECT_EQ(outcome(desk_.change_terms(id, {.price = sale::fen{5}}, admin_)), fine);
    EXPECT_EQ(outcome(desk_.publish(id, admin_)), fine);
    EXPECT_EQ(buy(id, 1), sale::answer::accepted);
    EXPECT_EQ(outcome(desk_.change_round(round.id, {.starts_at = ledger::noon + hours(1)}, admin_)),
              fine);
    EXPECT_EQ(buy(id, 2), sale::answer::not_started);
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = 2}, admin_)), fine);
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = -1}, admin_)), fine);
    EXPECT_EQ(outcome(desk_.warm_up(id, admin_)), fine);
    EXPECT_EQ(outcome(desk_.warm_up_all(admin_)), fine);
    const strings done{"product.created", "round.created",  "sale.created",   "product.changed",
                       "sale.changed",    "sale.published", "round.changed",  "stock.added",
                       "stock.removed",   "sale.warmed_up", "sales.warmed_up"};
    EXPECT_EQ(actions(), strings(done.rbegin(), done.rend()));
    EXPECT_EQ(node_.catalogue_changes, static_cast<int>(done.size()));
    for (const ledger::audit_line& l : audit()) EXPECT_EQ(l.who, admin_.who);
}

TEST_F(CatalogueDeskTest, AChangeThatTheLedgerRefusesIsNoChange) {
    const auto id = open_sale();
    ledger_fails();
    EXPECT_EQ(outcome(desk_.change_terms(id, {.price = sale::fen{5}}, admin_)),
              errc::store_unavailable);
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = 2}, admin_)), errc::store_unavailable);
    EXPECT_EQ(outcome(desk_.publish(id, admin_)), errc::store_unavailable);
    EXPECT_EQ(outcome(desk_.warm_up_all(admin_)), errc::store_unavailable);
    EXPECT_FALSE(desk_.progress().running);
    ledger_works();
    EXPECT_EQ(actions(), strings{});
    EXPECT_EQ(node_.catalogue_changes, 0);
    EXPECT_EQ(stock_at_gate(id), 5);
}

TEST_F(CatalogueDeskTest, ALimitCanOnlyBeRaisedOnceTheSaleIsPublished) {
    const auto id = open_sale();
    EXPECT_EQ(outcome(desk_.change_terms(id, {.limit = 3U}, admin_)), fine);
    EXPECT_EQ(outcome(desk_.change_terms(id, {.limit = 2U}, admin_)), errc::conflict);
    verbs_.sql("UPDATE sales SET state = 'draft'");
    EXPECT_EQ(outcome(desk_.change_terms(id, {.limit = 2U}, admin_)), fine);
    EXPECT_EQ(outcome(desk_.change_terms({99}, {}, admin_)), errc::not_found);
}

TEST_F(CatalogueDeskTest, WhatTheLedgerHasStandsWhenTheGateCannotBeTold) {
    const auto id = open_sale();
    gate_.away = true;
    const auto added = desk_.change_stock(id, {.delta = 2}, admin_);
    ASSERT_EQ(outcome(added), fine);
    EXPECT_EQ(added->gate, errc::store_unavailable);
    EXPECT_EQ(added->sale.stock, 7);
    const auto round = book_.catalogue().find_sale(id)->round;
    EXPECT_EQ(desk_.change_round(round, {.title = "Later"}, admin_)->gate, errc::store_unavailable);
    EXPECT_EQ(actions(), (strings{"round.changed", "stock.added"})) << "it did change";
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = -2}, admin_)), errc::store_unavailable)
        << "units are removed from the gate first";
    EXPECT_EQ(stock_in_book(id), 7);
}

TEST_F(CatalogueDeskTest, RemovedUnitsGoBackToTheGateWhenTheLedgerFails) {
    const auto id = open_sale();
    int statements = 0;
    how_->before = [&] {  // one: the sale is found
        if (++statements > 1) throw store::sql_error(store::sql_failure::other, "gone");
    };
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = -2}, admin_)), errc::store_unavailable);
    ledger_works();
    EXPECT_EQ(stock_in_book(id), 5);
    EXPECT_EQ(stock_at_gate(id), 5);
}

// Regression: 170 promised units were removed, because a gate that is being rebuilt looks empty.
TEST_F(CatalogueDeskTest, UnitsAreNotRemovedWhileTheGateIsRebuilt) {
    const auto id = open_sale();
    gate_.rebuilding = true;
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = -2}, admin_)), errc::store_unavailable);
    gate_.rebuilding = false;
    EXPECT_EQ(stock_at_gate(id), 5);

    gate_.told = [&] { gate_.rebuilding = true; };  // a rebuild that begins in the middle
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = -2}, admin_)), errc::store_unavailable);
    gate_.told = [] {};
    gate_.rebuilding = false;
    EXPECT_EQ(stock_at_gate(id), 5);
    EXPECT_EQ(stock_in_book(id), 5);
    EXPECT_EQ(outcome(desk_.change_stock(id, {.delta = -2}, admin_)), fine);
    EXPECT_EQ(stock_at_gate(id), 3);
}

TEST_F(CatalogueDeskTest, AWarmUpSaysWhyNot) {
    const auto id = open_sale(2);
    EXPECT_EQ(outcome(desk_.warm_up({999}, {})), errc::not_found);
    buy(id, 1);
    buy(id, 2);
    verbs_.sql("UPDATE sales SET stock = 1");
    EXPECT_EQ(outcome(desk_.warm_up(id, {})), errc::conflict) << "fewer than are taken";
    verbs_.sql("UPDATE sales SET state = 'draft'");
    EXPECT_EQ(outcome(desk_.warm_up(id, {})), errc::conflict);
    EXPECT_EQ(actions(), strings{});
}

TEST_F(CatalogueDeskTest, WarmsUpAllThatCanBeBoughtAndSaysHowItWent) {
    const auto good = open_sale(), taken = open_sale(1), over = open_sale();
    buy(taken, 1);
    verbs_.sql("UPDATE sales SET stock = 0 WHERE id = " + std::to_string(taken.value));
    ASSERT_EQ(outcome(desk_.end(over, {})), fine);
    clock_.advance(hours(1));
    const auto done = desk_.warm_up_all({}).value();
    ASSERT_EQ(done.size(), 2U);
    EXPECT_EQ(done[0].id, good);
    EXPECT_EQ(done[0].why_not, fine);
    EXPECT_EQ(done[1].id, taken);
    EXPECT_EQ(done[1].why_not, errc::conflict);
    const warm_up_progress p = desk_.progress();
    EXPECT_FALSE(p.running);
    EXPECT_EQ(p.total, 2);
    EXPECT_EQ(p.done, 2);
    EXPECT_EQ(p.failed, 1);
    EXPECT_EQ(p.started_at, ledger::noon + hours(1));
    EXPECT_EQ(to_json(done).at(0), (boost::json::value{{"id", good.value}, {"ok", true}}));
    EXPECT_FALSE(to_json(done).at(1).at("ok").as_bool());
}

TEST_F(CatalogueDeskTest, OneSaleThatTheGateRefusesDoesNotKeepTheRoundFromTheOthers) {
    const auto first = open_sale(1), second = open_sale();
    verbs_.sql("UPDATE sales SET round_id = 1");
    buy(first, 1);
    verbs_.sql("UPDATE sales SET stock = 0 WHERE id = " + std::to_string(first.value));
    const auto done = desk_.change_round({1}, {.starts_at = ledger::noon + hours(1)}, admin_);
    ASSERT_EQ(outcome(done), fine);
    EXPECT_EQ(done->gate, errc::conflict);
    EXPECT_EQ(buy(second, 1), sale::answer::not_started);
}

}  // namespace
}  // namespace floodgate::shop
