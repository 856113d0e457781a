// Everybody at once: part of the contract of every implementation.

#include <algorithm>
#include <atomic>
#include <latch>
#include <thread>

#include "points/accounts_fixture.hpp"

namespace floodgate::points {
namespace {

class AccountsRaceContractTest : public AccountsContractTest {};
INSTANTIATE_TEST_SUITE_P(Over, AccountsRaceContractTest, testing::ValuesIn(every_accounts()),
                         accounts_name);

constexpr std::int64_t ann = 7;

// Runs `act(number)` on as many threads, all starting at the same moment.
template <class Act>
void at_once(std::uint64_t threads, Act act) {
    std::latch start(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::jthread> all;
    all.reserve(threads);
    for (std::uint64_t i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
            start.arrive_and_wait();
            act(i);
        });
}

// A failure in a thread must fail the test, not end the program.
try_outcome outcome_of(const result<try_outcome>& r) {
    EXPECT_FALSE(r.has_error()) << r.error().message();
    return r.has_error() ? try_outcome{} : r.value();
}

TEST_P(AccountsRaceContractTest, EightSpendersOfOneAccountNeverBringItBelowZero) {
    constexpr std::uint64_t spenders = 8, tries = 10;
    constexpr std::int64_t had = 100, price = 3;
    verbs_.grant(ann, had, "g").value();
    std::atomic<std::int64_t> spent = 0, kept = 0;
    at_once(spenders, [&](std::uint64_t spender) {
        for (std::uint64_t i = 0; i < tries; ++i) {
            const std::uint64_t order = spender * tries + i + 1;
            const auto outcome = outcome_of(verbs_.spend(order, ann, price));
            if (outcome == not_enough) continue;
            if (i % 3 == 0) {
                EXPECT_TRUE(verbs_.confirm(order));
                spent += price;
            } else if (i % 3 == 1) {
                EXPECT_TRUE(verbs_.cancel(order));
            } else {
                kept += price;
            }
        }
    });
    EXPECT_EQ(verbs_.of(ann), (balance{{had - spent - kept}, {kept}, {0}}));
    EXPECT_GT(spent + kept, 0);
}

TEST_P(AccountsRaceContractTest, EveryPointIsSpentAndNoneTwice) {
    constexpr std::int64_t had = 20, price = 3;
    verbs_.grant(ann, had, "g").value();
    std::atomic<int> reserved_orders = 0;
    at_once(8, [&](std::uint64_t spender) {
        for (std::uint64_t i = 0; i < 2; ++i) {
            const std::uint64_t order = spender * 2 + i + 1;
            if (outcome_of(verbs_.spend(order, ann, price)) == reserved) ++reserved_orders;
        }
    });
    EXPECT_EQ(reserved_orders, had / price);
    EXPECT_EQ(verbs_.of(ann), (balance{{had % price}, {had - had % price}, {0}}));
}

TEST_P(AccountsRaceContractTest, OfTwoOrdersThatWantTheLastPointsOneGetsThem) {
    for (std::uint64_t round = 1; round <= 10; ++round) {
        const auto user = static_cast<std::int64_t>(round);
        verbs_.grant(user, 5, "g" + std::to_string(round)).value();
        std::atomic<int> winners = 0, losers = 0;
        at_once(2, [&](std::uint64_t who) {
            const auto outcome = outcome_of(verbs_.spend(round * 2 + who, user, 5));
            if (outcome == reserved) ++winners;
            if (outcome == not_enough) ++losers;
        });
        EXPECT_EQ(winners, 1);
        EXPECT_EQ(losers, 1);
        EXPECT_EQ(verbs_.of(user), (balance{{0}, {5}, {0}}));
    }
}

TEST_P(AccountsRaceContractTest, OneTryFromManySidesIsMadeOnce) {
    verbs_.grant(ann, 100, "g").value();
    std::atomic<int> made = 0, found = 0;
    at_once(8, [&](std::uint64_t) {
        const auto outcome = outcome_of(verbs_.spend(1, ann, 10));
        if (outcome == reserved) ++made;
        if (outcome == already_open) ++found;
    });
    EXPECT_EQ(made, 1);
    EXPECT_EQ(found, 7);
    EXPECT_EQ(verbs_.of(ann), (balance{{90}, {10}, {0}}));
}

TEST_P(AccountsRaceContractTest, ATryAndItsCancelLeaveNothingSetAsideWhicheverIsFirst) {
    verbs_.grant(ann, 100, "g").value();
    for (std::uint64_t order = 1; order <= 10; ++order) {
        at_once(2, [&](std::uint64_t who) {
            if (who == 0) {
                const auto outcome = outcome_of(verbs_.spend(order, ann, 10));
                EXPECT_TRUE(outcome == reserved || outcome == cancelled_before);
            } else {
                EXPECT_TRUE(verbs_.cancel(order));
            }
        });
        EXPECT_TRUE(is(verbs_.spend(order, ann, 10), cancelled_before));
        EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
    }
}

TEST_P(AccountsRaceContractTest, OfAConfirmAndACancelOneWins) {
    std::int64_t left = 100;
    verbs_.grant(ann, left, "g").value();
    for (std::uint64_t order = 1; order <= 10; ++order) {
        verbs_.spend(order, ann, 10).value();
        std::atomic<bool> confirmed = false, cancelled = false;
        at_once(2, [&](std::uint64_t who) {
            if (who == 0) confirmed = verbs_.confirm(order).has_value();
            if (who == 1) cancelled = verbs_.cancel(order).has_value();
        });
        EXPECT_NE(confirmed, cancelled);
        if (confirmed) left -= 10;
        EXPECT_EQ(verbs_.of(ann), (balance{{left}, {0}, {0}}));
    }
}

TEST_P(AccountsRaceContractTest, RequestsFromManySidesAreDoneOnce) {
    at_once(8, [&](std::uint64_t) { EXPECT_TRUE(verbs_.grant(ann, 100, "g")); });
    EXPECT_EQ(verbs_.of(ann), (balance{{100}, {0}, {0}}));
    verbs_.buy(1, ann, 50);
    at_once(8, [&](std::uint64_t) { EXPECT_TRUE(verbs_.give_back(1, ann, 30, "r")); });
    EXPECT_EQ(verbs_.of(ann), (balance{{80}, {0}, {0}}));
    std::atomic<int> done = 0;
    at_once(8, [&](std::uint64_t i) {
        if (verbs_.give_back(1, ann, 7, "r" + std::to_string(i))) ++done;
    });
    EXPECT_EQ(done, 2) << "20 points were left";
    EXPECT_EQ(verbs_.of(ann), (balance{{94}, {0}, {0}}));
}

}  // namespace
}  // namespace floodgate::points
