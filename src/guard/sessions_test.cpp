#include "guard/sessions.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

constexpr instant noon{milliseconds(1'800'000'000'000)};
constexpr instant evening = noon + std::chrono::hours(6);

struct SessionsTest : testing::Test {
    sessions table;

    std::string log_in(std::int64_t user, instant until = evening,
                       sale::role role = sale::role::buyer) {
        std::string token = new_token();
        table.add({hash_of(token), {user}, role, until});
        return token;
    }
    std::optional<identity> find(const std::string& token, instant now) const {
        return table.find(hash_of(token), now);
    }
};

TEST_F(SessionsTest, FindsWhoeverLoggedInWithTheirRole) {
    const std::string buyer = log_in(1);
    const std::string admin = log_in(2, evening, sale::role::admin);
    EXPECT_EQ(find(buyer, noon), (identity{{1}, sale::role::buyer}));
    EXPECT_EQ(find(admin, noon), (identity{{2}, sale::role::admin}));
    EXPECT_EQ(table.count(), 2U);
}

TEST_F(SessionsTest, KnowsNobodyByAnythingElse) {
    const std::string token = log_in(1);
    std::string altered = token;
    altered.back() = altered.back() == 'A' ? 'B' : 'A';
    EXPECT_FALSE(find("", noon));
    EXPECT_FALSE(find(altered, noon));
    EXPECT_FALSE(find(token + "A", noon));
    EXPECT_FALSE(find(token.substr(1), noon));
    EXPECT_FALSE(find(std::string(1'000'000, 'A'), noon));
    EXPECT_FALSE(find(std::string(token_characters, '\0'), noon));
}

TEST_F(SessionsTest, OneUserMayBeLoggedInTwice) {
    const std::string phone = log_in(1);
    const std::string laptop = log_in(1);
    table.remove(hash_of(phone));
    EXPECT_FALSE(find(phone, noon));
    EXPECT_TRUE(find(laptop, noon));
}

TEST_F(SessionsTest, OnlyThoseThatReplaceAllAreLeft) {
    const std::string gone = log_in(1);
    const std::string stays = log_in(2);
    const std::string comes = new_token();
    table.replace_all(std::vector<sale::login>{
        {hash_of(stays), {2}, sale::role::admin, evening},
        {hash_of(comes), {3}, sale::role::buyer, evening},
    });
    EXPECT_FALSE(find(gone, noon));
    EXPECT_EQ(find(stays, noon), (identity{{2}, sale::role::admin}));
    EXPECT_TRUE(find(comes, noon));
    EXPECT_EQ(table.count(), 2U);
}

TEST_F(SessionsTest, ALoginEndsAtTheMomentItExpires) {
    const std::string token = log_in(1, evening);
    EXPECT_TRUE(find(token, evening - milliseconds(1)));
    EXPECT_FALSE(find(token, evening));
}

TEST_F(SessionsTest, ALoginMayLastForEverAndMayHaveExpiredBefore1970) {
    EXPECT_TRUE(find(log_in(1, never), from_ms(1LL << 54)));
    EXPECT_FALSE(find(log_in(1, instant::min()), from_ms(0)));
}

TEST_F(SessionsTest, AddingALoginAgainReplacesIt) {
    const std::string token = log_in(1, noon);
    EXPECT_FALSE(find(token, noon));
    table.add({hash_of(token), {1}, sale::role::buyer, evening});
    EXPECT_TRUE(find(token, noon));
    EXPECT_EQ(table.count(), 1U);
}

TEST_F(SessionsTest, RemovingWhatIsNotThereIsFine) {
    table.remove(hash_of("nobody"));
    EXPECT_EQ(table.count(), 0U);
}

TEST_F(SessionsTest, OneRoundOfPruningForgetsWhatExpiredAndNothingElse) {
    std::vector<std::string> live;
    for (int i = 0; i < 1000; ++i) {
        live.push_back(log_in(i + 1, evening));
        log_in(i + 1, noon);
    }
    std::size_t forgotten = 0;
    for (std::size_t i = 0; i < sessions::parts; ++i) forgotten += table.prune(noon);
    EXPECT_EQ(forgotten, 1000U);
    EXPECT_EQ(table.count(), 1000U);
    for (const std::string& token : live) EXPECT_TRUE(find(token, noon));
}

TEST_F(SessionsTest, ServesManyThreadsWhileLoginsComeAndGo) {
    std::vector<std::string> steady;
    for (int i = 0; i < 500; ++i) steady.push_back(log_in(i + 1));

    std::vector<std::thread> threads;
    for (int reader = 0; reader < 3; ++reader)
        threads.emplace_back([&] {
            for (int turn = 0; turn < 10; ++turn)
                for (std::size_t i = 0; i < steady.size(); ++i)
                    EXPECT_EQ(find(steady[i], noon)->user.value, std::int64_t(i) + 1);
        });
    for (int writer = 0; writer < 2; ++writer)
        threads.emplace_back([&] {
            for (int i = 0; i < 2000; ++i) {
                const std::string token = log_in(9999, i % 2 == 0 ? noon : evening);
                if (i % 2 != 0) table.remove(hash_of(token));
                table.prune(noon);
            }
        });
    for (std::thread& t : threads) t.join();
    for (std::size_t i = 0; i < sessions::parts; ++i) table.prune(noon);
    EXPECT_EQ(table.count(), steady.size());
}

}  // namespace
}  // namespace floodgate::guard
