#include "shop/ledger_health.hpp"

#include <future>
#include <thread>

#include "shop/book_fixture.hpp"

namespace floodgate::shop {
namespace {

using namespace std::chrono_literals;

class LedgerHealthTest : public BookTest {
protected:
    // The ledger fails, and each look at it is counted.
    void lose_ledger() {
        how_->before = [this] {
            ++looks_;
            throw store::sql_error(store::sql_failure::busy, "as told");
        };
    }
    void note(errc why) { health_.note(make_error_code(why), clock_.now()); }
    bool is_well() { return health_.is_well(clock_.now()); }

    ledger_health health_{book_.orders(), 1s};
    int looks_ = 0;
};

TEST_F(LedgerHealthTest, IsWellUntilTheLedgerFails) {
    lose_ledger();
    EXPECT_TRUE(is_well());
    EXPECT_EQ(looks_, 0) << "a ledger that is not known to fail is not looked at";
    note(errc::store_unavailable);
    EXPECT_FALSE(is_well());
    EXPECT_EQ(looks_, 0) << "it has just failed: no need to look";
}

TEST_F(LedgerHealthTest, WhatTheCallerDidWrongIsNoFailureOfTheLedger) {
    for (const errc why : {errc::not_found, errc::already_exists, errc::conflict, errc::invalid,
                           errc::corrupt, errc::overloaded, errc::rejected, errc::fenced}) {
        note(why);
        EXPECT_TRUE(is_well());
    }
}

TEST_F(LedgerHealthTest, LooksOnceInAWhileUntilTheLedgerIsBack) {
    lose_ledger();
    note(errc::store_unavailable);
    for (int second = 1; second <= 3; ++second) {
        clock_.advance(1s);
        for (int i = 0; i < 10; ++i) EXPECT_FALSE(is_well());
        EXPECT_EQ(looks_, second);
    }
    mend_ledger();
    EXPECT_FALSE(is_well()) << "until the next look";
    clock_.advance(1s);
    EXPECT_TRUE(is_well());
    lose_ledger();
    EXPECT_TRUE(is_well());
    EXPECT_EQ(looks_, 3);
}

TEST_F(LedgerHealthTest, AFurtherFailureDoesNotPutOffTheNextLook) {
    note(errc::store_unavailable);
    clock_.advance(900ms);
    note(errc::store_unavailable);
    clock_.advance(100ms);
    EXPECT_TRUE(is_well());
}

TEST_F(LedgerHealthTest, WhileOneLooksTheOthersDoNotWait) {
    std::promise<void> begun, go_on;
    how_->before = [this, &begun, wait = go_on.get_future().share()] {
        if (++looks_ == 1) {
            begun.set_value();
            wait.wait();
        }
    };
    note(errc::store_unavailable);
    clock_.advance(1s);
    std::jthread looker([this] { EXPECT_TRUE(is_well()); });
    begun.get_future().wait();
    clock_.advance(10s);
    EXPECT_FALSE(is_well());
    go_on.set_value();
    looker.join();
    EXPECT_TRUE(is_well());
}

}  // namespace
}  // namespace floodgate::shop
