#include "guard/shared_logins.hpp"

#include <gtest/gtest.h>

#include "base/eventually.hpp"
#include "base/hex.hpp"
#include "guard/tokens.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::guard {
namespace {

const identity ann{{7}, sale::role::buyer};

// A node's memory and its share in Redis.
struct login_node {
    login_node(store::redis& redis, const std::string& name, shared_logins::options o = {})
        : logins(redis, local, name, o) {}
    sessions local;
    shared_logins logins;
};

class SharedLoginsTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        FLOODGATE_NEED_REDIS(GetParam());
        redis_ = std::make_unique<store::redis>(store::shared_redis(GetParam()));
        here_ = std::make_unique<login_node>(*redis_, name_);
        there_ = std::make_unique<login_node>(*redis_, name_);
    }
    sale::login login(sale::role role = sale::role::buyer) const {
        return {.hash = hash_of(token_),
                .user = {7},
                .role = role,
                .expires_at = now_ + milliseconds(60'000)};
    }
    // What the log holds becomes so much older.
    void revoked_before(milliseconds ago) {
        const std::string key = name_ + ":revoked";
        const std::string then = std::to_string(to_ms(wall_clock().now() - ago));
        const auto log = redis_->ask(key, {"ZRANGE", key, "-inf", "8e15", "BYSCORE"});
        ASSERT_TRUE(log);
        for (const auto& hash : log->items)
            ASSERT_TRUE(redis_->ask(key, {"ZADD", key, then, hash.text}));
    }
    bool knows(login_node& n) const { return n.local.find(hash_of(token_), now_).has_value(); }

    const std::string token_ = new_token();
    const std::string name_ = store::random_name();
    const instant now_ = wall_clock().now();
    std::unique_ptr<store::redis> redis_;
    std::unique_ptr<login_node> here_, there_;
};

TEST_P(SharedLoginsTest, AreFoundByAnotherNodeAndKept) {
    ASSERT_TRUE(here_->logins.keep(login(sale::role::admin), now_));
    EXPECT_TRUE(knows(*here_));
    EXPECT_FALSE(knows(*there_));
    const auto found = there_->logins.find(hash_of(token_), now_);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, (identity{{7}, sale::role::admin}));
    EXPECT_TRUE(knows(*there_));
    EXPECT_FALSE(there_->local.find(hash_of(token_), now_ + milliseconds(60'000)))
        << "with its end";
}

TEST_P(SharedLoginsTest, ThatNobodyHasAreNotFound) {
    EXPECT_EQ(here_->logins.find(hash_of(token_), now_).error(), errc::not_found);
}

TEST_P(SharedLoginsTest, ThatHaveExpiredAreNotFound) {
    ASSERT_TRUE(here_->logins.keep(login(), now_));
    EXPECT_EQ(there_->logins.find(hash_of(token_), now_ + milliseconds(60'000)).error(),
              errc::not_found);
    const std::string key = name_ + ":login:" + to_hex(hash_of(token_));
    const auto left = redis_->ask(key, {"PTTL", key})->integer;
    EXPECT_GT(left, 50'000);
    EXPECT_LE(left, 60'000);
}

TEST_P(SharedLoginsTest, ThatAreRevokedAreRemovedEverywhere) {
    ASSERT_TRUE(here_->logins.keep(login(), now_));
    ASSERT_TRUE(there_->logins.find(hash_of(token_), now_));
    EXPECT_TRUE(there_->logins.catch_up(now_));
    EXPECT_TRUE(knows(*there_));
    ASSERT_TRUE(here_->logins.remove(hash_of(token_), now_));
    EXPECT_FALSE(knows(*here_));
    EXPECT_EQ(there_->logins.find(hash_of(token_), now_).error(), errc::not_found);
    EXPECT_TRUE(there_->logins.catch_up(now_));
    EXPECT_FALSE(knows(*there_));
}

TEST_P(SharedLoginsTest, ThatAreHeardOfAfterTheirEndStayRevoked) {
    const std::string news = shared_logins::tell(login());
    ASSERT_TRUE(here_->logins.remove(hash_of(token_), now_));
    there_->logins.catch_up(now_);
    there_->logins.hear_login(news);
    EXPECT_FALSE(knows(*there_));
    here_->logins.hear_login(news);
    EXPECT_FALSE(knows(*here_));
}

TEST_P(SharedLoginsTest, ThatAreAddedLateAreRemovedByTheOverlap) {
    ASSERT_TRUE(here_->logins.keep(login(), now_));
    ASSERT_TRUE(here_->logins.remove(hash_of(token_), now_));
    ASSERT_TRUE(there_->logins.catch_up(now_));
    revoked_before(milliseconds(5000));
    there_->local.add(login());  // by whoever had read it before
    ASSERT_TRUE(there_->logins.catch_up(now_));
    EXPECT_FALSE(knows(*there_));
}

TEST_P(SharedLoginsTest, TravelOverTheBus) {
    there_->logins.hear_login(shared_logins::tell(login()));
    EXPECT_EQ(there_->local.find(hash_of(token_), now_), ann);
    there_->logins.hear_logout(shared_logins::tell(hash_of(token_)));
    EXPECT_FALSE(knows(*there_));
}

TEST_P(SharedLoginsTest, IgnoreNonsenseFromTheBus) {
    const std::string good = shared_logins::tell(login());
    for (const std::string& bad :
         {std::string(), good.substr(0, 31), good.substr(0, 32), good + " 9", good + " 1 1",
          good + "x", good.substr(0, 32) + "7 9 99999999999999", good.substr(0, 32) + "7 1",
          good.substr(0, 32) + "-7 1 99999999999999"}) {
        there_->logins.hear_login(bad);
        EXPECT_EQ(there_->local.count(), 0U) << bad.substr(32);
    }
    there_->logins.hear_logout(good);
    there_->logins.hear_login(good);
    EXPECT_EQ(there_->local.count(), 1U);
}

TEST_P(SharedLoginsTest, SayWhenTheLogOfRevocationsWasLost) {
    EXPECT_TRUE(there_->logins.catch_up(now_));
    EXPECT_TRUE(there_->logins.catch_up(now_));
    ASSERT_TRUE(redis_->ask(name_ + ":revoked", {"DEL", name_ + ":revoked"}));
    EXPECT_FALSE(there_->logins.catch_up(now_)) << "fill it from the ledger";
    EXPECT_TRUE(there_->logins.catch_up(now_));
}

TEST_P(SharedLoginsTest, SayWhenTheyWereAwayForLongerThanTheLogGoesBack) {
    login_node sleepy(*redis_, name_, {.remembered = milliseconds(0)});
    EXPECT_TRUE(sleepy.logins.catch_up(now_));
    EXPECT_TRUE(eventually([&] { return !sleepy.logins.catch_up(now_); }));
    EXPECT_TRUE(here_->logins.catch_up(now_));
    EXPECT_TRUE(here_->logins.catch_up(now_)) << "others were not away";
}

// Regression L1: what was made while the ledger was read was forgotten until it was asked for.
TEST_P(SharedLoginsTest, ThatAreMadeWhileTheLedgerIsReadAreNotForgotten) {
    const sale::login old{hash_of(new_token()), {8}, sale::role::buyer, now_ + milliseconds(1000)};
    here_->local.add(old);
    ASSERT_TRUE(here_->logins.reload([&]() -> result<std::vector<sale::login>> {
        here_->logins.hear_login(shared_logins::tell(login()));
        return std::vector<sale::login>{};
    }));
    EXPECT_TRUE(knows(*here_));
    EXPECT_FALSE(here_->local.find(old.hash, now_)) << "the ledger does not know it";
}

TEST_P(SharedLoginsTest, ThatAreRevokedWhileTheLedgerIsReadAreNotBroughtBack) {
    ASSERT_TRUE(here_->logins.reload([&]() -> result<std::vector<sale::login>> {
        here_->logins.hear_logout(shared_logins::tell(hash_of(token_)));
        return std::vector{login()};
    }));
    EXPECT_FALSE(knows(*here_));
}

TEST_P(SharedLoginsTest, StayAsTheyAreWhenTheLedgerCannotBeRead) {
    here_->local.add(login());
    const auto failed = here_->logins.reload([]() -> result<std::vector<sale::login>> {
        return make_error_code(errc::store_unavailable);
    });
    EXPECT_EQ(failed.error(), errc::store_unavailable);
    EXPECT_TRUE(knows(*here_));
}

TEST_P(SharedLoginsTest, CatchUpWithManyRevocations) {
    const std::string key = name_ + ":revoked";
    std::vector<std::string> tokens;
    store::words entries{"ZADD", key};
    const std::int64_t now_ms = to_ms(wall_clock().now());
    for (int i = 0; i < 25'000; ++i) {
        tokens.push_back(new_token());
        there_->local.add(
            {hash_of(tokens.back()), {7}, sale::role::buyer, now_ + milliseconds(1000)});
        entries.add(now_ms - i % 5000);
        entries.add(to_hex(hash_of(tokens.back())));
    }
    ASSERT_TRUE(redis_->ask(key, entries));
    EXPECT_TRUE(there_->logins.catch_up(now_));
    EXPECT_EQ(there_->local.count(), 0U);
    EXPECT_TRUE(redis_->ask(key, {"DEL", key}));
}

TEST_P(SharedLoginsTest, KeepTheLogShort) {
    login_node tidy(*redis_, name_, {.revoked_max = 10});
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(tidy.logins.remove(hash_of(new_token()), now_));
    }
    EXPECT_EQ(redis_->ask(name_ + ":revoked", {"ZCARD", name_ + ":revoked"})->integer, 10);
    revoked_before(std::chrono::hours(2));
    ASSERT_TRUE(tidy.logins.remove(hash_of(token_), now_));
    EXPECT_EQ(redis_->ask(name_ + ":revoked", {"ZCARD", name_ + ":revoked"})->integer, 1);
}

INSTANTIATE_TEST_SUITE_P(Redis, SharedLoginsTest, testing::Bool(),
                         [](const auto& p) { return p.param ? "Cluster" : "Plain"; });

TEST(SharedLogins, GoOnWithoutRedisAndCatchUpAfterwards) {
    store::own_redis server;
    store::redis redis(server.impatient());
    login_node here(redis, "fg");
    login_node there(redis, "fg");
    const instant now = wall_clock().now();
    const sale::login l{hash_of(new_token()), {7}, sale::role::buyer, now + milliseconds(60'000)};
    ASSERT_TRUE(here.logins.keep(l, now));
    ASSERT_TRUE(there.logins.find(l.hash, now));
    ASSERT_TRUE(there.logins.catch_up(now));
    ASSERT_TRUE(here.logins.remove(l.hash, now));

    server.freeze();
    EXPECT_TRUE(there.logins.catch_up(now)) << "a failure is not a loss";
    EXPECT_TRUE(there.local.find(l.hash, now));
    EXPECT_EQ(there.logins.find(hash_of(new_token()), now).error(), errc::store_unavailable);
    EXPECT_EQ(here.logins.keep(l, now).error(), errc::store_unavailable);
    server.thaw();
    EXPECT_TRUE(eventually([&] {
        there.logins.catch_up(now);
        return !there.local.find(l.hash, now);
    }));
}

}  // namespace
}  // namespace floodgate::guard
