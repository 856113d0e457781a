#include "engine/gate_options.hpp"

#include <gtest/gtest.h>

namespace floodgate::engine {
namespace {

milliseconds claimed_for(milliseconds answer_within) {
    settings s;
    s.cluster.answer_within = answer_within;
    return gate_options(s).key_claimed_for;
}

// L2 of the security review: with answer_within_ms = 60000, the most that is allowed, a claim ended
// while the attempt that had made it could still be sent.
TEST(GateOptionsTest, AClaimOutlivesTheAttemptThatMadeIt) {
    EXPECT_EQ(claimed_for(milliseconds(1000)), std::chrono::minutes(2));
    EXPECT_EQ(claimed_for(milliseconds(30'000)), std::chrono::minutes(2));
    EXPECT_EQ(claimed_for(milliseconds(60'000)), std::chrono::minutes(4));
}

TEST(GateOptionsTest, AKeyOutlivesTheMemoryOfItsSale) {
    settings s;
    EXPECT_GT(gate_options(s).key_kept_for, s.memory.forget_after);
}

}  // namespace
}  // namespace floodgate::engine
