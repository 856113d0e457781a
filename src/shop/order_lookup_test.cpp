#include "shop/order_lookup.hpp"

#include <gtest/gtest.h>

#include "gate/embedded_turnstile.hpp"
#include "gate/forwarding_turnstile.hpp"
#include "ledger/ledger_fixture.hpp"
#include "sale/line_in_memory.hpp"
#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

using ledger::outcome;
using enum sale::order_state;

// The real gate; the test can make something happen whenever it is asked for its promises.
class gate_with_a_gap final : public gate::forwarding_turnstile {
public:
    using forwarding_turnstile::forwarding_turnstile;
    std::function<void()> meanwhile = [] {};

    std::vector<promised> promised_to(sale::user_id b) override {
        meanwhile();
        return inner_.promised_to(b);
    }
};

class OrderLookupTest : public testing::Test {
protected:
    static constexpr sale::user_id buyer{42}, stranger{43};

    OrderLookupTest() {
        const auto sale = verbs_.add_sale({.stock = 100, .limit = 50});
        EXPECT_TRUE(book_.catalogue().set_sale_state(sale, sale::sale_state::published));
        const auto all = book_.catalogue().sales().value();
        EXPECT_TRUE(turnstile_.warm_up(all.at(0)));
        sale_ = sale;
    }
    sale::order_no promised(sale::user_id to = buyer) {
        clock_.advance(milliseconds(1));
        const auto lane = turnstile_.open_lane([] {});
        const sale::attempt a{.sale = sale_, .buyer = to, .quantity = 2};
        lane->submit({&a, 1}, clock_.now());
        std::vector<sale::verdict> out;
        lane->collect(out);
        EXPECT_EQ(out.at(0).what, sale::answer::accepted);
        return out.at(0).order;
    }
    // Enters everything, as the clerk does. With `told`, the memory hears of it.
    void enter_all(bool told = true) {
        const std::vector<sale::promise> batch(
            line_.kept.begin() + static_cast<std::ptrdiff_t>(entered_), line_.kept.end());
        entered_ = line_.kept.size();
        verbs_.enter(batch);
        if (told) recent_.start_from(batch.back().order);
    }
    void close(sale::order_no no) {
        verbs_.close(no);
        turnstile_.release(sale_, buyer, no);
    }
    sale::order_state state(sale::order_no no) { return lookup_.find(buyer, no).value().state; }
    // "queued 3": the state and, counted from 1, which promise it was.
    std::vector<std::string> latest(std::size_t count, sale::order_no before = {}) {
        std::vector<std::string> out;
        for (const sale::order& o : lookup_.latest(buyer, before, count).value()) {
            const auto at = std::ranges::find(line_.kept, o.no, &sale::promise::order);
            out.push_back(std::string(to_text(o.state)) + " " +
                          std::to_string(at - line_.kept.begin() + 1));
        }
        return out;
    }
    using expected = std::vector<std::string>;

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().at(1).open(directory_)};
    ledger::ledger& book_ = verbs_.book();
    manual_clock clock_{ledger::noon};
    sale::line_in_memory line_;
    gate::embedded_turnstile turnstile_{line_, {}};
    gate_with_a_gap gate_{turnstile_};
    recent_orders recent_;
    order_lookup lookup_{{recent_, gate_, book_.orders()}};
    sale::sale_id sale_{};
    std::size_t entered_ = 0;
};

TEST_F(OrderLookupTest, APromiseIsQueuedUntilItIsEntered) {
    const auto no = promised();
    const auto queued = lookup_.find(buyer, no).value();
    EXPECT_EQ(queued.state, sale::order_state::queued);
    EXPECT_EQ(queued.no, no);
    EXPECT_EQ(queued.sale, sale_);
    EXPECT_EQ(queued.buyer, buyer);
    EXPECT_EQ(queued.quantity, 2U);
    EXPECT_EQ(queued.created_at, clock_.now());
    enter_all();
    EXPECT_EQ(state(no), unpaid);
}

TEST_F(OrderLookupTest, AForeignOrderIsLikeAMissingOne) {
    const auto no = promised();
    EXPECT_EQ(outcome(lookup_.find(stranger, no)), errc::not_found);
    EXPECT_FALSE(lookup_.is_promised(stranger, no));
    EXPECT_FALSE(lookup_.is_queued(stranger, no));
    enter_all();
    EXPECT_EQ(outcome(lookup_.find(stranger, no)), errc::not_found);
    recent_.apply({lookup_.find(buyer, no).value(), 1});
    EXPECT_EQ(outcome(lookup_.find(stranger, no)), errc::not_found);
    EXPECT_EQ(outcome(lookup_.find(buyer, {no.value + 1})), errc::not_found);
    EXPECT_TRUE(lookup_.latest(stranger, {}, 10).value().empty());
}

// The ledger is changed without telling the memory, which shows where an answer comes from.
TEST_F(OrderLookupTest, MemoryIsAskedFirst) {
    const auto no = promised();
    enter_all();
    sale::order known = lookup_.find(buyer, no).value();
    known.state = paid;
    recent_.apply({known, 9});
    EXPECT_EQ(state(no), paid);
}

TEST_F(OrderLookupTest, BeyondTheNewestEntryTheGateIsEnough) {
    promised();
    enter_all();
    const auto no = promised();
    enter_all(false);  // in the ledger, but the memory was not told yet
    EXPECT_EQ(state(no), sale::order_state::queued);
    EXPECT_TRUE(lookup_.is_queued(buyer, no));
    recent_.start_from(no);
    EXPECT_EQ(state(no), unpaid);
    EXPECT_FALSE(lookup_.is_queued(buyer, no));
    EXPECT_TRUE(lookup_.is_promised(buyer, no)) << "the gate holds its unit";
}

TEST_F(OrderLookupTest, WhereNumbersDoNotComeInOrderTheLedgerIsAsked) {
    recent_orders of_many_nodes({.numbers_in_order = false});
    order_lookup lookup({of_many_nodes, gate_, book_.orders()});
    const auto no = promised();
    EXPECT_FALSE(lookup.is_queued(buyer, no)) << "the ledger may have it";
    EXPECT_EQ(lookup.find(buyer, no).value().state, sale::order_state::queued);
    enter_all(false);
    EXPECT_EQ(lookup.find(buyer, no).value().state, unpaid);
}

TEST_F(OrderLookupTest, NeverMissesAnOrderThatIsEnteredAndClosedBetweenTwoLooks) {
    const auto no = promised();
    recent_.start_from(no);
    // The ledger is asked, then the gate. In between the clerk enters the order and it is closed.
    gate_.meanwhile = [&] {
        enter_all(false);
        close(no);
        gate_.meanwhile = [] {};
    };
    EXPECT_EQ(state(no), closed);
}

TEST_F(OrderLookupTest, NeverMissesAnOrderThatIsEnteredWhileItIsListed) {
    const auto no = promised();
    gate_.meanwhile = [&] {
        enter_all();
        close(no);
        gate_.meanwhile = [] {};
    };
    EXPECT_EQ(latest(10), expected{"closed 1"});
}

TEST_F(OrderLookupTest, ListsNewestFirstWithQueuedOnesAmongThemAndNoneTwice) {
    for (int i = 0; i < 3; ++i) promised();
    enter_all();
    for (int i = 0; i < 2; ++i) promised();
    EXPECT_EQ(latest(10), (expected{"queued 5", "queued 4", "unpaid 3", "unpaid 2", "unpaid 1"}));
    EXPECT_EQ(latest(3), (expected{"queued 5", "queued 4", "unpaid 3"}));
    EXPECT_EQ(latest(10, line_.kept[4].order),
              (expected{"queued 4", "unpaid 3", "unpaid 2", "unpaid 1"}));
    EXPECT_EQ(latest(2, line_.kept[3].order), (expected{"unpaid 3", "unpaid 2"}));
    EXPECT_EQ(latest(2, line_.kept[0].order), expected{});
}

// The gate also holds units of entered orders. Those beyond the page must not be taken for queued.
TEST_F(OrderLookupTest, AnEnteredOrderBeyondThePageIsNotShownAsQueued) {
    for (int i = 0; i < 5; ++i) promised();
    enter_all();
    EXPECT_EQ(latest(2), (expected{"unpaid 5", "unpaid 4"}));
}

}  // namespace
}  // namespace floodgate::shop
