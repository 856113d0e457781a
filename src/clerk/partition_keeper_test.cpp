// A keeper over a real Redis, whose partition is new, was lost, went back to an older state, or was
// left behind by another keeper.

#include "clerk/partition_keeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/eventually.hpp"
#include "gate/turnstile_fixture.hpp"
#include "ledger/ledger_fixture.hpp"
#include "queue/stream_queue.hpp"
#include "shop/reloading_gate.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::clerk {
namespace {

using sale::answer;

class set_clock final : public floodgate::clock {
public:
    instant now() const override { return at; }
    instant at = ledger::noon + milliseconds(1);
};

class PartitionKeeperTest : public testing::Test {
protected:
    void SetUp() override {
        FLOODGATE_NEED_REDIS(false);
        redis_.emplace(store::shared_redis(false));
        open_gate();
        sale_ = verbs_.add_sale({.stock = 5});
    }

    void open_gate() {
        gate::redis_turnstile_options o;
        o.name = name_;
        o.partitions = 1;
        o.refusal_max_age = milliseconds(0);
        gate_.emplace(*redis_, o, [](sale::sale_id) {});
        lane_ = gate_->open_lane([] {});
    }

    std::unique_ptr<partition_keeper> keeper(const std::string& consumer) {
        auto made = std::make_unique<partition_keeper>(
            partition_keeper::world{.book = verbs_.book(),
                                    .gate = *gate_,
                                    .partitions = 1,
                                    .open_queue =
                                        [this, consumer] {
                                            queue::stream_queue_options o;
                                            o.name = name_;
                                            o.consumer = consumer;
                                            return std::make_unique<queue::stream_queue>(*redis_,
                                                                                         o);
                                        },
                                    .clock = clock_,
                                    .node = node_},
            sale::partition{0}, options{});
        made->take_over();
        return made;
    }

    sale::verdict buy(std::int64_t buyer) {
        return gate::ask(*lane_, {{.sale = sale_, .buyer = {buyer}}}, clock_.now()).front();
    }
    // Asks again while it is told busy, as a client does.
    sale::verdict insist(std::int64_t buyer) {
        sale::verdict v;
        eventually([&] { return (v = buy(buyer)).what != answer::busy; });
        return v;
    }
    bool is_open() {
        const auto state = gate_->state_of({0});
        return state && state->open;
    }
    std::int64_t orders() { return verbs_.number("SELECT COUNT(*) FROM orders"); }
    std::string state_of(sale::order_no no) {
        const auto found = verbs_.book().orders().find(no);
        return found ? to_text(found->state) : "absent";
    }
    bool all_entered(std::int64_t count) {
        return eventually([&] { return orders() == count; }) && eventually([&] {
                   const auto state = gate_->state_of({0});
                   return state && state->entered == state->appended;
               });
    }
    void forget_everything() {
        const auto keys = redis_->ask("", {"KEYS", name_ + ":*"});
        for (const auto& key : keys->items) (void)redis_->ask(key.text, {"DEL", key.text});
    }
    std::string key(std::string_view what) const { return sale::key_of(name_, {0}, what); }

    const std::string name_ = store::random_name("keeper");
    set_clock clock_;
    shop::silent_node node_;
    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().front().open(directory_)};
    std::optional<store::redis> redis_;
    std::optional<gate::redis_turnstile> gate_;
    std::unique_ptr<gate::lane> lane_;
    sale::sale_id sale_;
};

TEST_F(PartitionKeeperTest, BuildsAPartitionThatIsNotThereAndEntersItsPromises) {
    EXPECT_EQ(buy(1).what, answer::busy) << "nobody has built it";
    const auto here = keeper("a");
    const sale::verdict v = insist(1);
    ASSERT_EQ(v.what, answer::accepted);
    ASSERT_TRUE(all_entered(1));
    EXPECT_EQ(state_of(v.order), "unpaid");
    EXPECT_EQ(buy(1).what, answer::already_ordered);
    EXPECT_EQ(here->read_figures().rebuilds, 1U);
}

TEST_F(PartitionKeeperTest, RebuildsWhatWasFlushedAndSellsNoUnitTwice) {
    const auto here = keeper("a");
    for (std::int64_t buyer = 1; buyer <= 3; ++buyer)
        ASSERT_EQ(insist(buyer).what, answer::accepted);
    ASSERT_TRUE(all_entered(3));
    forget_everything();
    EXPECT_EQ(insist(1).what, answer::already_ordered) << "their mark is back";
    EXPECT_EQ(insist(4).what, answer::accepted);
    EXPECT_EQ(insist(5).what, answer::accepted);
    EXPECT_EQ(insist(6).what, answer::sold_out);
    ASSERT_TRUE(all_entered(5));
    EXPECT_EQ(here->read_figures().rebuilds, 2U);
    EXPECT_TRUE(verbs_.check().empty());
}

TEST_F(PartitionKeeperTest, EntersWhatAnotherLeftBehind) {
    {
        const auto first = keeper("a");
        ASSERT_EQ(insist(1).what, answer::accepted);
    }
    const sale::verdict orphan = buy(2);  // the partition has no keeper now
    ASSERT_EQ(orphan.what, answer::accepted);
    EXPECT_EQ(state_of(orphan.order), "absent");
    const auto second = keeper("b");
    ASSERT_TRUE(all_entered(2));
    EXPECT_EQ(state_of(orphan.order), "unpaid");
    EXPECT_EQ(second->read_figures().rebuilds, 0U) << "the gate agreed with the ledger";
}

TEST_F(PartitionKeeperTest, GoesOnWithoutARebuildWhenTheOtherLetGoInOrder) {
    const auto first = keeper("a");
    ASSERT_EQ(insist(1).what, answer::accepted);
    first->let_go();
    EXPECT_FALSE(first->read_figures().serving);
    const auto second = keeper("b");
    ASSERT_TRUE(eventually([&] { return second->read_figures().serving; }));
    ASSERT_EQ(buy(2).what, answer::accepted) << "not even for a moment was it busy";
    ASSERT_TRUE(all_entered(2));
    EXPECT_EQ(second->read_figures().rebuilds, 0U);
}

// A Redis that was put back to an older state has made new promises, at places that the ledger has
// entered already. None of these may be mistaken for the old ones.
TEST_F(PartitionKeeperTest, FindsPromisesThatHideBelowTheLedgersPlace) {
    {
        const auto first = keeper("a");
        ASSERT_TRUE(eventually([&] { return is_open(); }));
    }
    std::map<std::string, std::string> snapshot;
    const std::vector<std::string> keys{key("gate"), key("line"), key("sales"),
                                        key("sale:" + std::to_string(sale_.value))};
    for (const std::string& k : keys) snapshot[k] = redis_->ask(k, {"DUMP", k})->text;
    {
        const auto first = keeper("a");
        for (std::int64_t buyer = 1; buyer <= 3; ++buyer)
            ASSERT_EQ(insist(buyer).what, answer::accepted);
        ASSERT_TRUE(all_entered(3));
    }
    const std::string buyers = key("buyers:" + std::to_string(sale_.value));
    (void)redis_->ask(buyers, {"DEL", buyers});
    for (const auto& [k, bytes] : snapshot) {
        (void)redis_->ask(k, {"DEL", k});
        if (!bytes.empty()) {
            ASSERT_TRUE(redis_->ask(k, {"RESTORE", k, "0", bytes}));
        }
    }
    lane_.reset();  // a node that knew the later state would refuse to go on
    gate_.reset();
    clock_.at += milliseconds(1000);  // its order numbers are its own
    open_gate();
    const sale::verdict hidden = buy(7);  // place 1 again
    ASSERT_EQ(hidden.what, answer::accepted);
    const auto second = keeper("b");
    ASSERT_TRUE(eventually([&] { return state_of(hidden.order) != "absent"; }));
    EXPECT_EQ(state_of(hidden.order), "unpaid");
    EXPECT_EQ(insist(1).what, answer::already_ordered);
    // The gate opens a moment before the rebuild is counted.
    EXPECT_TRUE(eventually([&] { return second->read_figures().rebuilds > 0; }));
    EXPECT_EQ(insist(8).what, answer::accepted) << "the fifth";
    EXPECT_EQ(insist(9).what, answer::sold_out);
    EXPECT_EQ(second->read_figures().rebuilds, 1U);
}

TEST_F(PartitionKeeperTest, RebuildsAGateThatWasClosedBecauseItDiffered) {
    const auto here = keeper("a");
    ASSERT_EQ(insist(1).what, answer::accepted);
    ASSERT_TRUE(all_entered(1));
    const std::string of_sale = key("sale:" + std::to_string(sale_.value));
    ASSERT_TRUE(redis_->ask(of_sale, {"HSET", of_sale, "given", "4"}));  // three units vanish
    ASSERT_TRUE(gate_->close({0}));
    for (std::int64_t buyer = 2; buyer <= 5; ++buyer)
        EXPECT_EQ(insist(buyer).what, answer::accepted) << buyer;
    EXPECT_EQ(insist(6).what, answer::sold_out);
    ASSERT_TRUE(all_entered(5));
}

TEST_F(PartitionKeeperTest, LoadsAForgottenSaleAgainWithItsOrdersWhenItIsWarmedUp) {
    const auto here = keeper("a");
    ASSERT_EQ(insist(1).what, answer::accepted);
    ASSERT_TRUE(all_entered(1));
    const sale::sale s = verbs_.book().catalogue().sales()->front();
    ASSERT_TRUE(gate_->forget(s).has_value());
    ASSERT_EQ(buy(1).what, answer::unknown_sale);
    shop::reloading_redis_gate whole(*gate_, 1, verbs_.book(), clock_, {});
    ASSERT_TRUE(whole.warm_up(s).has_value());
    EXPECT_EQ(insist(1).what, answer::already_ordered);
    for (std::int64_t buyer = 2; buyer <= 5; ++buyer)
        EXPECT_EQ(insist(buyer).what, answer::accepted) << buyer;
    EXPECT_EQ(insist(6).what, answer::sold_out);
}

TEST_F(PartitionKeeperTest, LeavesOutASaleThatIsOver) {
    verbs_.enter({verbs_.promise(sale_, 1)});
    const auto other = verbs_.add_sale({.stock = 5});
    clock_.at += std::chrono::hours(1000);
    const auto here = keeper("a");
    ASSERT_TRUE(eventually([&] { return is_open(); }));
    EXPECT_FALSE(gate_->look_up(other).has_value());
    EXPECT_TRUE(gate_->look_up(sale_).has_value()) << "an order of it is unpaid";
}

TEST_F(PartitionKeeperTest, PutsAsideAStrayThatTheBookWillNotTake) {
    {
        const auto first = keeper("a");
        ASSERT_TRUE(eventually([&] { return is_open(); }));
    }
    std::vector<sale::promise> two{verbs_.promise(sale_, 1), verbs_.promise(sale_, 2)};
    verbs_.poison(two[0]);
    const std::string line = key("line");
    ASSERT_TRUE(redis_->ask(line, {"XADD", line, "1-9", "p", sale::encode_entry(two)}));
    ASSERT_TRUE(gate_->close({0}));
    const auto second = keeper("b");
    ASSERT_TRUE(eventually([&] { return is_open() && orders() == 1; }));
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM letters"), 1);
    EXPECT_EQ(insist(1).what, answer::already_ordered) << "a letter holds its unit";
}

}  // namespace
}  // namespace floodgate::clerk
