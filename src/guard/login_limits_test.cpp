#include "guard/login_limits.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace floodgate::guard {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr instant noon{milliseconds(1'800'000'000'000)};
constexpr std::uint64_t admin = 10'000, home = 1, office = 2, attacker = 666;

class LoginLimitsTest : public testing::Test {
protected:
    // Tries a wrong password. Gives whether the try was allowed.
    bool guess(std::uint64_t account, std::uint64_t address, bool known_device = false) {
        const auto tried = limits_.begin({account, address, known_device}, now_);
        if (tried.may_try) tried.may_try->failed();
        return tried.may_try != nullptr;
    }
    // The same with the right password.
    bool log_in(std::uint64_t account, std::uint64_t address, bool known_device = false) {
        const auto tried = limits_.begin({account, address, known_device}, now_);
        if (tried.may_try) tried.may_try->succeeded();
        return tried.may_try != nullptr;
    }
    int log_ins(std::uint64_t account, bool known_device, std::uint64_t addresses = 100) {
        int n = 0;
        for (std::uint64_t i = 0; i < addresses; ++i)
            n += log_in(account, 3'000'000 + i, known_device) ? 1 : 0;
        return n;
    }
    int guesses(std::uint64_t account, std::uint64_t address, int tries = 100) {
        int n = 0;
        for (int i = 0; i < tries; ++i) n += guess(account, address) ? 1 : 0;
        return n;
    }
    // An attacker tries from this many addresses.
    int attack_from(std::uint64_t addresses, std::uint64_t first = 1'000'000) {
        int n = 0;
        for (std::uint64_t i = 0; i < addresses; ++i) n += guesses(admin, first + i, 10);
        return n;
    }

    login_limits limits_{login_limit_options{}};
    instant now_ = noon;
};

TEST_F(LoginLimitsTest, OneAddressGetsFiveGuessesAndThenFiveAMinute) {
    EXPECT_EQ(guesses(admin, attacker), 5);
    now_ += seconds(12);
    EXPECT_EQ(guesses(admin, attacker), 1);
    now_ += seconds(60);
    EXPECT_EQ(guesses(admin, attacker), 5);
    EXPECT_EQ(guesses(admin + 1, attacker), 5) << "another account";
}

TEST_F(LoginLimitsTest, SuccessesDoNotCountAsFailures) {
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(log_in(admin, home)) << i;
        now_ += seconds(3);
    }
    EXPECT_EQ(guesses(admin, home), 5);
}

// Regression M7: log-ins with the right password were not limited by account.
TEST_F(LoginLimitsTest, OneAccountLogsInTwentyTimesAMinuteWhateverItsAddresses) {
    for (const bool known : {true, false}) {
        EXPECT_EQ(log_ins(admin, known), 20);
        const auto refused = limits_.begin({admin, home, known}, now_);
        EXPECT_EQ(refused.refused_by, limit::login_by_user);
        EXPECT_EQ(refused.wait, seconds(5)) << "in coarse steps";
    }
    EXPECT_EQ(log_ins(admin + 1, true), 20) << "another account";
    now_ += seconds(60);
    EXPECT_EQ(log_ins(admin, true), 20);
}

TEST_F(LoginLimitsTest, GuessesDoNotUseUpTheLogInsOfTheOwner) {
    attack_from(100);
    EXPECT_EQ(log_ins(admin, true), 20);
}

TEST_F(LoginLimitsTest, GuessesUnderWayDoNotHoldUpAKnownDevice) {
    std::vector<login_limits::answer> under_way;
    for (std::uint64_t i = 0; i < 100; ++i)
        under_way.push_back(limits_.begin({admin, attacker + i, false}, now_));
    EXPECT_EQ(under_way.back().refused_by, limit::login_by_user);
    EXPECT_EQ(log_ins(admin, true), 20);
}

TEST_F(LoginLimitsTest, TriesAtTheSameMomentCountBeforeTheyHaveFailed) {
    std::vector<login_limits::answer> under_way;
    for (int i = 0; i < 100; ++i)
        under_way.push_back(limits_.begin({admin, attacker, false}, now_));
    int allowed = 0;
    for (const auto& one : under_way) allowed += one.may_try ? 1 : 0;
    EXPECT_EQ(allowed, 5);
    under_way.clear();
    EXPECT_TRUE(guess(admin, attacker)) << "none of them failed";
}

// Regression H3: one client that waits as long as it is told kept the owner out.
TEST_F(LoginLimitsTest, OneAttackerKeepsNobodyOut) {
    for (int i = 0; i < 600; ++i) {
        guess(admin, attacker);
        EXPECT_TRUE(log_in(admin, home, true)) << i;
        EXPECT_TRUE(log_in(admin, office)) << i << ": an address that is not known yet";
        now_ += seconds(3);
    }
}

TEST_F(LoginLimitsTest, AKnownDeviceGetsInWhateverHappensElsewhere) {
    attack_from(10'000);
    EXPECT_TRUE(log_in(admin, home, true));
    EXPECT_EQ(guesses(admin, attacker), 0) << "but strangers do not";
}

TEST_F(LoginLimitsTest, AnUnknownAddressGetsInWithinTheTimeOfOneTokenAfterTheAttackersAreKnown) {
    attack_from(1000);
    ASSERT_FALSE(log_in(admin, office));
    int waited_s = 0;
    for (; waited_s < 600 && !log_in(admin, office); ++waited_s) {
        now_ += seconds(1);
        // They go on from the addresses they have. Those whose record was clean used it up.
        for (std::uint64_t i = 0; i < 20; ++i) guess(admin, 1'000'000 + i);
    }
    EXPECT_LE(waited_s, 12);
}

TEST_F(LoginLimitsTest, AllStrangersTogetherGetTwoBurstsAndThenTwoRates) {
    EXPECT_LE(attack_from(1000), 100);
    now_ += hours(1);
    EXPECT_LE(attack_from(1000, 2'000'000), 100);
}

TEST_F(LoginLimitsTest, AnAccountThatIsAttackedDoesNotHarmAnother) {
    attack_from(1000);
    EXPECT_TRUE(log_in(admin + 1, office));
    EXPECT_TRUE(log_in(admin + 1, 1'000'000)) << "not even from an attacker's address";
}

TEST_F(LoginLimitsTest, ARefusedTryCostsNothing) {
    attack_from(1000);
    EXPECT_FALSE(log_in(admin, office));
    EXPECT_TRUE(log_in(admin, office, true)) << "its own bucket is full";
}

TEST_F(LoginLimitsTest, TheWaitIsToldInCoarseStepsAndIsLongEnough) {
    guesses(admin, attacker);
    now_ += milliseconds(1234);
    const auto refused = limits_.begin({admin, attacker, false}, now_);
    ASSERT_EQ(refused.may_try, nullptr);
    EXPECT_EQ(refused.refused_by, limit::login_by_device);
    EXPECT_EQ(refused.wait % login_limits::wait_step, milliseconds(0));
    EXPECT_EQ(refused.wait, seconds(15));
    now_ += refused.wait;
    EXPECT_TRUE(guess(admin, attacker));

    attack_from(1000);
    EXPECT_EQ(limits_.begin({admin, office, false}, now_).refused_by, limit::login_by_account);
}

TEST_F(LoginLimitsTest, NoLimitIsNoLimit) {
    login_limits none({.by_device = {}, .by_account = {}, .by_user = {}});
    for (int i = 0; i < 1000; ++i) {
        const auto tried = none.begin({admin, attacker, false}, now_);
        ASSERT_TRUE(tried.may_try) << i;
        tried.may_try->failed();
    }
}

TEST(DeviceOf, DiffersByAccountAndByAddress) {
    EXPECT_EQ(device_of(1, 2), device_of(1, 2));
    EXPECT_NE(device_of(1, 2), device_of(2, 1));
    EXPECT_NE(device_of(1, 2), device_of(1, 3));
    EXPECT_NE(device_of(0, 0), device_of(1, 1));
}

}  // namespace
}  // namespace floodgate::guard
