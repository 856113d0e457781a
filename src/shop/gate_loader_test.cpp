#include "shop/gate_loader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ledger/move_fixture.hpp"
#include "sale/line_in_memory.hpp"
#include "shop/reloading_gate.hpp"

namespace floodgate::shop {
namespace {

using ledger::noon;  // the sales of the fixture last from noon for two hours
using sale::answer;
using std::chrono::hours;
using std::chrono::seconds;

class GateLoaderTest : public testing::Test {
protected:
    sale::sale find(sale::sale_id id) {
        for (const sale::sale& s : verbs_.book().catalogue().sales().value())
            if (s.id == id) return s;
        throw std::runtime_error("no such sale");
    }
    instant over(sale::sale_id id) {  // the first moment at which it is
        const sale::sale s = find(id);
        return s.ends_at + seconds(s.pay_within_s) + memory_.forget_after + milliseconds(1);
    }
    bool needs(sale::sale_id id, instant now) { return loader_.needs(find(id), now).value(); }
    void load(sale::sale_id id) {
        embedded_target target(gate_);
        ASSERT_TRUE(loader_.load(find(id), target, clock_.now()).has_value());
    }
    answer buy(sale::sale_id id, std::int64_t buyer, instant now, sale::idempotency_key key = {}) {
        const auto lane = gate_.open_lane([] {});
        const sale::attempt a{.sale = id, .buyer = {buyer}, .key = key};
        lane->submit({&a, 1}, now);
        std::vector<sale::verdict> out;
        lane->collect(out);
        return out.at(0).what;
    }
    void move_window(sale::sale_id id, instant starts_at) {
        const sale::round r{find(id).round, "moved", starts_at, starts_at + hours(2)};
        ASSERT_TRUE(verbs_.book().catalogue().update_round(r).has_value());
    }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().at(1).open(directory_)};
    sale_memory memory_;
    gate_loader loader_{verbs_.book(), memory_};
    sale::line_in_memory line_;
    gate::embedded_turnstile gate_{line_, {}};
    manual_clock clock_{noon};
    reloading_embedded_gate whole_gate_{gate_, verbs_.book(), clock_, memory_};
};

TEST_F(GateLoaderTest, NeedsASaleUntilItsLastBuyerCouldHavePaidAndForADayMore) {
    const auto id = verbs_.add_sale();
    EXPECT_TRUE(needs(id, noon - hours(1000)));
    EXPECT_TRUE(needs(id, over(id) - milliseconds(1)));
    EXPECT_FALSE(needs(id, over(id)));
}

TEST_F(GateLoaderTest, NeedsNoDrafts) {
    const auto id = verbs_.add_sale();
    verbs_.sql("UPDATE sales SET state = 'draft'");
    EXPECT_FALSE(needs(id, noon));
}

TEST_F(GateLoaderTest, NeedsASaleThatIsNotSettled) {
    const auto id = verbs_.add_sale();
    const auto p = verbs_.promise(id, 1);
    verbs_.enter({p});
    EXPECT_TRUE(needs(id, over(id))) << "an order is unpaid";
    verbs_.close(p.order);
    EXPECT_FALSE(needs(id, over(id)));
    verbs_.put_aside(verbs_.promise(id, 2));
    EXPECT_TRUE(needs(id, over(id))) << "a letter is open";
}

TEST_F(GateLoaderTest, LoadsASaleWithItsOrdersLettersAndSpentKeys) {
    const auto id = verbs_.add_sale({.stock = 3});
    auto closed = verbs_.promise(id, 3);
    closed.key[0] = std::byte{1};
    verbs_.enter({verbs_.promise(id, 1), closed});
    verbs_.close(closed.order);
    verbs_.put_aside(verbs_.promise(id, 2));
    load(id);
    EXPECT_EQ(gate_.look_up(id)->taken, 2);
    EXPECT_EQ(buy(id, 1, noon), answer::already_ordered);
    EXPECT_EQ(buy(id, 2, noon), answer::already_ordered);
    EXPECT_EQ(buy(id, 3, noon, closed.key), answer::repeated);
    EXPECT_EQ(buy(id, 4, noon), answer::accepted);
    EXPECT_EQ(buy(id, 5, noon), answer::sold_out);
}

// The cool-downs are those that the settlement had told the earlier gate.
TEST_F(GateLoaderTest, LoadsTheBuyersWhoHaveToWait) {
    const auto id = verbs_.add_sale({.stock = 9});
    const auto early = verbs_.promise(id, 1), late = verbs_.promise(id, 2),
               refunded = verbs_.promise(id, 3);
    verbs_.enter({early, late, refunded});
    auto& moves = verbs_.book().moves();
    const instant now = noon + seconds(100);
    moves.cancel(early.order, early.buyer, now - memory_.cool_down).value();
    moves.cancel(late.order, late.buyer, now - seconds(1)).value();
    moves.pay(refunded.order, "test", now).value();
    moves.ask_refund(refunded.order, refunded.buyer, {}, now).value();
    const auto back = verbs_.book().refunds().of(refunded.order).value().at(0);
    moves.finish_refund(refunded.order, back.number, now).value();
    clock_.set(now);
    load(id);
    EXPECT_EQ(buy(id, 1, now), answer::accepted) << "has waited long enough";
    EXPECT_EQ(buy(id, 2, now), answer::cooling_down);
    EXPECT_EQ(buy(id, 3, now), answer::accepted) << "a refund costs no time";
    const instant until = now - seconds(1) + memory_.cool_down;
    EXPECT_EQ(buy(id, 2, until - milliseconds(1)), answer::cooling_down);
    EXPECT_EQ(buy(id, 2, until), answer::accepted);
}

TEST_F(GateLoaderTest, MakesNobodyWaitLongerBecauseTheClockWasSetBack) {
    const auto id = verbs_.add_sale();
    const auto p = verbs_.promise(id, 1);
    verbs_.enter({p});
    verbs_.book().moves().cancel(p.order, p.buyer, noon + hours(1)).value();
    load(id);
    EXPECT_EQ(buy(id, 1, noon), answer::cooling_down);
    EXPECT_EQ(buy(id, 1, noon + memory_.cool_down), answer::accepted);
}

TEST_F(GateLoaderTest, LoadsNoneWhereNobodyHasToWait) {
    const auto id = verbs_.add_sale();
    const auto p = verbs_.promise(id, 1);
    verbs_.enter({p});
    verbs_.book().moves().cancel(p.order, p.buyer, noon).value();
    embedded_target target(gate_);
    gate_loader lenient(verbs_.book(), {.cool_down = milliseconds(0)});
    ASSERT_TRUE(lenient.load(find(id), target, noon).has_value());
    EXPECT_EQ(buy(id, 1, noon), answer::accepted);
}

// A gate that has forgotten a sale would otherwise open it again with its whole stock.
TEST_F(GateLoaderTest, AWarmUpBringsBackWhatAForgottenSaleHolds) {
    const auto id = verbs_.add_sale({.stock = 2});
    const auto paid = verbs_.promise(id, 1);
    verbs_.enter({paid});
    load(id);
    ASSERT_TRUE(gate_.forget(find(id)).has_value());
    clock_.set(over(id) + hours(100));
    move_window(id, clock_.now());
    ASSERT_TRUE(whole_gate_.warm_up(find(id)).has_value());
    EXPECT_EQ(buy(id, 1, clock_.now()), answer::already_ordered);
    EXPECT_EQ(buy(id, 2, clock_.now()), answer::accepted);
    EXPECT_EQ(buy(id, 3, clock_.now()), answer::sold_out);
}

// An order was withdrawn after the sale was read, and before its orders were.
TEST_F(GateLoaderTest, LoadsTheStockThatFitsTheOrders) {
    const auto id = verbs_.add_sale({.stock = 2, .resell_refunded = false});
    const sale::sale read = find(id);
    ledger::move_verbs(verbs_).order_in("refunded", id, 1);
    embedded_target target(gate_);
    ASSERT_TRUE(loader_.load(read, target, clock_.now()).has_value());
    EXPECT_EQ(gate_.look_up(id)->stock, 1);
    ASSERT_TRUE(gate_.warm_up(read).has_value());
    EXPECT_EQ(gate_.look_up(id)->stock, 1) << "it has the later revision";
}

TEST_F(GateLoaderTest, AForgottenSaleThatIsClosedAtOnceIsLoadedClosed) {
    const auto id = verbs_.add_sale();
    sale::sale closed = find(id);
    closed.state = sale::sale_state::paused;
    closed.revision = 0;  // the ledger does not have it yet
    ASSERT_TRUE(whole_gate_.warm_up(closed).has_value());
    EXPECT_EQ(buy(id, 1, noon), answer::paused);
}

TEST_F(GateLoaderTest, AWarmUpOfASaleThatIsStillOverLoadsNothing) {
    const auto id = verbs_.add_sale();
    clock_.set(over(id));
    ASSERT_TRUE(whole_gate_.warm_up(find(id)).has_value());
    EXPECT_FALSE(gate_.look_up(id).has_value());
}

TEST_F(GateLoaderTest, AWarmUpOfALoadedSaleChangesItsTermsOnly) {
    const auto id = verbs_.add_sale({.stock = 2});
    ASSERT_TRUE(whole_gate_.warm_up(find(id)).has_value());
    ASSERT_EQ(buy(id, 1, noon), answer::accepted);  // not in the ledger yet
    ASSERT_TRUE(whole_gate_.warm_up(find(id)).has_value());
    EXPECT_EQ(gate_.look_up(id)->taken, 1);
}

TEST_F(GateLoaderTest, ALoadedSaleIsNotLoadedTwice) {
    const auto id = verbs_.add_sale();
    load(id);
    EXPECT_EQ(gate_.load(find(id), {}, {}).error(), make_error_code(errc::conflict));
}

}  // namespace
}  // namespace floodgate::shop
