#include "http/purchase_batch.hpp"

#include <gtest/gtest.h>

#include "gate/memory_gate.hpp"

namespace floodgate::http {
namespace {

constexpr instant noon{milliseconds(1'800'000'000'000)};

// A gate that sells to every buyer, and tells so when the test allows it.
struct generous_gate : gate::memory_gate {
    struct generous_lane final : gate::lane {
        explicit generous_lane(generous_gate& g) : gate(g) {}
        void submit(std::span<const sale::attempt> attempts, instant) override {
            gate.batches.push_back(attempts.size());
            for (const sale::attempt& a : attempts)
                undecided.push_back({.reply_to = a.reply_to, .what = sale::answer::accepted});
        }
        void collect(std::vector<sale::verdict>& out) override {
            if (gate.may_tell) out.insert(out.end(), undecided.begin(), undecided.end());
            if (gate.may_tell) undecided.clear();
        }
        generous_gate& gate;
        std::vector<sale::verdict> undecided;
    };
    std::unique_ptr<gate::lane> open_lane(std::function<void()>) override {
        return std::make_unique<generous_lane>(*this);
    }
    std::vector<std::size_t> batches;
    bool may_tell = true;
};

struct PurchaseBatchTest : testing::Test {
    void settle() {
        batch.settle(noon, [this](const sale::verdict& v) { told.push_back(v.reply_to); });
    }
    generous_gate gate;
    purchase_batch batch{gate, [] {}};
    std::vector<std::uint64_t> told;
};

TEST_F(PurchaseBatchTest, IsJudgedAsOne) {
    batch.add({.reply_to = 1});
    batch.add({.reply_to = 2});
    EXPECT_FALSE(batch.empty());
    settle();
    EXPECT_EQ(gate.batches, std::vector<std::size_t>{2});
    EXPECT_EQ(told, (std::vector<std::uint64_t>{1, 2}));
    EXPECT_TRUE(batch.empty());
}

TEST_F(PurchaseBatchTest, TellsWhatWasUndecidedLater) {
    gate.may_tell = false;
    batch.add({.reply_to = 1});
    settle();
    EXPECT_TRUE(told.empty());
    gate.may_tell = true;
    settle();
    EXPECT_EQ(told, std::vector<std::uint64_t>{1});
    EXPECT_EQ(gate.batches.size(), 1U) << "nothing to judge is not submitted";
}

TEST_F(PurchaseBatchTest, TakesTheNextAttemptWhileItTells) {
    batch.add({.reply_to = 1});
    batch.settle(noon, [this](const sale::verdict&) { batch.add({.reply_to = 2}); });
    EXPECT_FALSE(batch.empty());
    settle();
    EXPECT_EQ(told, std::vector<std::uint64_t>{2});
    EXPECT_EQ(gate.batches, (std::vector<std::size_t>{1, 1}));
}

}  // namespace
}  // namespace floodgate::http
