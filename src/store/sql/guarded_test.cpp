#include "store/sql/guarded.hpp"

#include <gtest/gtest.h>

namespace floodgate::store {
namespace {

constexpr act_name tested{"store.failed", "test"};

TEST(GuardedTest, AConflictIsTriedAgainUntilItWorks) {
    int runs = 0;
    const auto act = [&]() -> result<int> {
        if (++runs < 4) throw sql_error(sql_failure::conflict, "in the way");
        return 7;
    };
    EXPECT_EQ(guarded(tested, act).value(), 7);
    EXPECT_EQ(runs, 4);
}

TEST(GuardedTest, AConflictThatDoesNotEndIsGivenUp) {
    int runs = 0;
    const auto act = [&]() -> result<int> {
        ++runs;
        throw sql_error(sql_failure::conflict, "in the way");
    };
    EXPECT_EQ(guarded(tested, act).error(), errc::store_unavailable);
    EXPECT_EQ(runs, 20);
}

TEST(GuardedTest, NothingElseIsTriedAgain) {
    for (const auto kind :
         {sql_failure::busy, sql_failure::full, sql_failure::constraint_unique,
          sql_failure::rejected, sql_failure::corrupt, sql_failure::fenced, sql_failure::other}) {
        int runs = 0;
        const auto act = [&]() -> result<int> {
            ++runs;
            throw sql_error(kind, "as told");
        };
        EXPECT_FALSE(guarded(tested, act)) << to_text(kind);
        EXPECT_EQ(runs, 1) << to_text(kind);
    }
}

TEST(GuardedTest, AVisitorIsNotCalledTwice) {
    int runs = 0;
    const auto act = [&]() -> result<void> {
        ++runs;
        throw sql_error(sql_failure::conflict, "in the way");
    };
    EXPECT_EQ(guarded_visit(tested, act).error(), errc::store_unavailable);
    EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace floodgate::store
