// Units that are refunded in a sale that does not sell them again: gate and pages follow the
// ledger, and nobody can buy such a unit in between.

#include "ledger/move_fixture.hpp"
#include "shop/desk_fixture.hpp"
#include "shop/kept_source.hpp"
#include "shop/reconciliation_desk.hpp"
#include "shop/settlement.hpp"

namespace floodgate::shop {
namespace {

using ledger::fine;
using ledger::outcome;
using sale::answer;

// Notes how many units are free after each release.
class watched_gate final : public gate::forwarding_turnstile {
public:
    using forwarding_turnstile::forwarding_turnstile;
    using turnstile::release;
    std::vector<std::int64_t> free;

    void release(const returned& r) override {
        inner_.release(r);
        const gate::standing now = inner_.look_up(r.sale).value();
        free.push_back(now.stock - now.taken);
    }
};

class WithdrawalTest : public DeskTest {
protected:
    WithdrawalTest() { EXPECT_TRUE(desk_.warm_up(sale_, {}).has_value()); }

    // An order that is being refunded.
    sale::promise returned_by(std::int64_t buyer) {
        EXPECT_EQ(buy(sale_, buyer), answer::accepted);
        const sale::promise p = line_.kept.back();
        verbs_.enter({p});
        orders_.begin(p);
        orders_.pay(p);
        orders_.ask_refund(p);
        return p;
    }
    void refund(const sale::promise& p) { after_.settle(orders_.finish_refund(p)); }
    sale::sale in_ledger() { return book_.catalogue().find_sale(sale_).value(); }
    std::int64_t stock_at_gate() { return turnstile_.look_up(sale_)->stock; }

    ledger::move_verbs orders_{verbs_};
    const sale::sale_id sale_ = verbs_.add_sale({.stock = 3, .resell_refunded = false});
    settlement after_{gate_, [this](auto news) { node_.tell(news); }, milliseconds(0),
                      [this](sale::sale_id id) { desk_.follow_stock(id); }};
};

TEST_F(WithdrawalTest, GateAndPagesFollowTheLedger) {
    const auto p = returned_by(1);
    refund(p);
    EXPECT_EQ(stock_at_gate(), 2) << "at once";
    EXPECT_EQ(node_.catalogue_changes, 0);
    desk_.step();
    EXPECT_EQ(node_.catalogue_changes, 1);
    EXPECT_EQ(stock_at_gate(), 2);
    for (const std::int64_t buyer : {1, 2}) EXPECT_EQ(buy(sale_, buyer), answer::accepted);
    EXPECT_EQ(buy(sale_, 3), answer::sold_out);
    step_after(milliseconds(5000));
    EXPECT_EQ(node_.catalogue_changes, 1) << "once";
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

// Terms that were read before the withdrawal arrive after it, and the gate ignores them.
TEST_F(WithdrawalTest, ANewPriceIsNotLost) {
    const auto p = returned_by(1);
    sale::sale cheaper = in_ledger();
    cheaper.price = {5};
    ASSERT_TRUE(book_.catalogue().update_sale_terms(cheaper).has_value());
    const sale::sale read = in_ledger();
    refund(p);
    ASSERT_TRUE(gate_.warm_up(read).has_value());
    EXPECT_EQ(stock_at_gate(), 2);
    desk_.step();
    EXPECT_EQ(buy(sale_, 2), answer::accepted);
    EXPECT_EQ(line_.kept.back().unit_price.value, 5);
}

TEST_F(WithdrawalTest, TheGateIsToldAgainUntilItListens) {
    const auto p = returned_by(1);
    refund(p);
    gate_.away = true;
    desk_.step();
    EXPECT_EQ(node_.catalogue_changes, 1) << "the pages do not wait for it";
    gate_.away = false;
    int told = 0;
    gate_.told = [&] { ++told; };
    step_after(milliseconds(999));
    EXPECT_EQ(told, 0);
    step_after(milliseconds(1));
    EXPECT_EQ(told, 1);
    step_after(milliseconds(1000));
    EXPECT_EQ(told, 1);
}

TEST_F(WithdrawalTest, AGateThatStillHoldsTheUnitsIsToldAgain) {
    const auto p = returned_by(1);
    for (const std::int64_t buyer : {2, 3}) EXPECT_EQ(buy(sale_, buyer), answer::accepted);
    const auto done = orders_.finish_refund(p);
    desk_.follow_stock(sale_);
    desk_.step();
    EXPECT_EQ(stock_at_gate(), 3) << "all of them are taken";
    after_.settle(done);
    EXPECT_EQ(buy(sale_, 4), answer::sold_out);
    step_after(milliseconds(1000));
    EXPECT_EQ(stock_at_gate(), 2);
    EXPECT_EQ(buy(sale_, 4), answer::sold_out);
}

TEST_F(WithdrawalTest, ASaleThatIsGoneIsNotFollowed) {
    desk_.follow_stock({999});
    desk_.step();
    step_after(milliseconds(1000));
    EXPECT_EQ(node_.catalogue_changes, 1);
}

// The admin's new total was computed from the stock before the withdrawal.
TEST_F(WithdrawalTest, UnitsThatAnAdminRemovesMeanwhileLeaveTheNewStock) {
    const auto p = returned_by(1);
    bool refunded = false;
    gate_.told = [&] {
        if (!std::exchange(refunded, true)) refund(p);
        EXPECT_LE(stock_at_gate(), in_ledger().stock);
    };
    const auto done = desk_.change_stock(sale_, {.delta = -1}, admin_);
    ASSERT_EQ(outcome(done), fine);
    EXPECT_EQ(done->sale.stock, 1);
    EXPECT_EQ(in_ledger().stock, 1);
    EXPECT_EQ(stock_at_gate(), 1);
    EXPECT_EQ(actions(), std::vector<std::string>{"stock.removed"});
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

// The withdrawal came before the gate heard of the admin's total, and buyers took what was left.
TEST_F(WithdrawalTest, UnitsThatBuyersTookMeanwhileAreNotRemoved) {
    const auto p = returned_by(1);
    bool refunded = false;
    gate_.looked = [&] {
        if (!std::exchange(refunded, true)) refund(p);
    };
    bool bought = false;
    gate_.told = [&] {
        if (std::exchange(bought, true)) return;
        for (const std::int64_t buyer : {2, 3}) EXPECT_EQ(buy(sale_, buyer), answer::accepted);
    };
    EXPECT_EQ(outcome(desk_.change_stock(sale_, {.delta = -1}, admin_)), errc::conflict);
    EXPECT_EQ(in_ledger().stock, 2) << "both are sold";
    EXPECT_EQ(stock_at_gate(), 2);
    verbs_.enter({line_.kept[1], line_.kept[2]});
    for (const sale::promise& taken : {line_.kept[1], line_.kept[2]})
        EXPECT_EQ(verbs_.state(taken), "unpaid");
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

TEST_F(WithdrawalTest, ASaleThatIsPausedMeanwhileKeepsTheSmallerStock) {
    const auto p = returned_by(1);
    bool refunded = false;
    gate_.told = [&] {
        if (!std::exchange(refunded, true)) refund(p);
    };
    ASSERT_EQ(outcome(desk_.pause(sale_, admin_)), fine);
    EXPECT_EQ(buy(sale_, 2), answer::paused);
    desk_.step();
    EXPECT_EQ(stock_at_gate(), 2);
    ASSERT_EQ(outcome(desk_.resume(sale_, admin_)), fine);
    EXPECT_EQ(stock_at_gate(), 2);
}

// The node stopped between the ledger and the gate.
TEST_F(WithdrawalTest, ARepairPutsNoWithdrawnUnitOnSale) {
    const auto p = returned_by(1);
    orders_.finish_refund(p);
    for (const std::int64_t buyer : {2, 3}) EXPECT_EQ(buy(sale_, buyer), answer::accepted);
    verbs_.enter({line_.kept[1], line_.kept[2]});
    watched_gate watched(gate_);
    kept_source source(line_);
    journal_in_flight between(book_, source, [this] { return line_.durable(); });
    reconciliation_desk repairs({{book_, watched, between}, desk_, node_, clock_});
    EXPECT_FALSE(repairs.look_now(sale_)->differences.empty());
    EXPECT_TRUE(repairs.repair(sale_, "lost", admin_).value().open.empty());
    EXPECT_EQ(watched.free, std::vector<std::int64_t>{0});
    EXPECT_EQ(stock_at_gate(), 2);
    EXPECT_EQ(turnstile_.look_up(sale_)->taken, 2);
    EXPECT_TRUE(repairs.look_now(sale_)->differences.empty());
}

}  // namespace
}  // namespace floodgate::shop
