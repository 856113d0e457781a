// What a node tells the others and what it does with their messages, over a bus in memory and
// without Redis.

#include "engine/cluster_node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/bus_topic.hpp"
#include "gate/embedded_turnstile.hpp"
#include "guard/tokens.hpp"
#include "ledger/ledger_fixture.hpp"
#include "sale/line_in_memory.hpp"
#include "sale/news_codec.hpp"
#include "shop/news_fixture.hpp"

namespace floodgate::engine {
namespace {

using ledger::noon;
using testing::ElementsAre;
using testing::Pair;

class noting_bus final : public cluster::bus {
public:
    void start(cluster::hear) override {}
    void stop() override {}
    void publish(std::string_view topic, std::string message) override {
        published.emplace_back(topic, std::move(message));
    }
    cluster::bus_figures read_figures() const override { return figures; }

    std::vector<std::pair<std::string, std::string>> published;
    cluster::bus_figures figures;
};

class no_leases final : public cluster::leases {
public:
    void seek(cluster::duty, const std::string&) override {}
    void start() override {}
    void stop() override {}
    bool holds(const std::string&) const override { return false; }
    std::vector<std::string> nodes_alive() const override { return {}; }
};

store::redis_options nowhere() {
    store::redis_options o;
    o.addresses = {"127.0.0.1:1"};
    return o;
}

class ClusterNodeTest : public testing::Test {
protected:
    ClusterNodeTest() {
        node_.join(
            {sessions_, recent_, mailroom_, showcase_, live_, access_, {{"limit", limiter_}}},
            nullptr);
    }
    bool is_known(std::uint64_t order) const { return recent_.find({order}).has_value(); }
    static std::string encoded(const sale::order_news& n) { return sale::encode_news({&n, 1}); }

    api::live_view live_;
    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().front().open(directory_)};
    manual_clock clock_{noon};
    store::redis redis_{nowhere()};
    noting_bus bus_;
    no_leases leases_;
    leased_ledger duty_{"timed_jobs", verbs_.book(), leases_};
    gate::redis_turnstile gate_{redis_, {}, {}};
    sale::line_in_memory line_;
    gate::embedded_turnstile shown_{line_, {}};
    guard::sessions sessions_;
    shop::recent_orders recent_;
    push::mailroom mailroom_{recent_};
    api::showcase showcase_{verbs_.book().catalogue(), shown_, clock_};
    shop::access_register access_{verbs_.book(), clock_};
    guard::rate_limiter limiter_{{}};
    cluster_node node_{{.name = "fg",
                        .partitions = 8,
                        .clock = clock_,
                        .redis = redis_,
                        .bus = bus_,
                        .book = verbs_.book(),
                        .gate = gate_,
                        .duty = duty_}};
};

TEST_F(ClusterNodeTest, TellsItsOwnClientsAndTheOthersOfMoves) {
    const sale::order_news news = shop::news_of{.no = 9};
    node_.tell({&news, 1});
    EXPECT_TRUE(is_known(9));
    EXPECT_THAT(bus_.published, ElementsAre(Pair("news", encoded(news))));
}

TEST_F(ClusterNodeTest, SendsMuchNewsInSeveralMessages) {
    std::vector<sale::order_news> news;
    for (std::uint64_t no = 1; no <= 401; ++no) news.push_back(shop::news_of{.no = no});
    node_.tell(news);
    ASSERT_EQ(bus_.published.size(), 3U);
    EXPECT_EQ(sale::decode_news(bus_.published[2].second)->size(), 1U);
}

TEST_F(ClusterNodeTest, HearsOfMovesElsewhere) {
    node_.hear("news", encoded(shop::news_of{.no = 9}));
    EXPECT_TRUE(is_known(9));
    EXPECT_TRUE(bus_.published.empty()) << "what was heard is not told again";
}

TEST_F(ClusterNodeTest, ForgetsWhatItRemembersWhenTheBookWasRepairedElsewhere) {
    node_.hear("news", encoded(shop::news_of{.no = 9}));
    node_.hear("repaired", "");
    EXPECT_FALSE(is_known(9));
}

TEST_F(ClusterNodeTest, HearsOfLogInsAndLogOuts) {
    const std::string token = guard::new_token();
    const sale::login l{
        .hash = guard::hash_of(token), .user = {5}, .expires_at = noon + milliseconds(1000)};
    node_.hear("login", guard::shared_logins::tell(l));
    EXPECT_TRUE(sessions_.find(guard::hash_of(token), noon).has_value());
    node_.hear("logout", guard::shared_logins::tell(l.hash));
    EXPECT_FALSE(sessions_.find(guard::hash_of(token), noon).has_value());
}

TEST_F(ClusterNodeTest, KnowsItsOwnLogInsAndLogOutsAtOnce) {
    const sale::login l{.hash = guard::hash_of(guard::new_token()),
                        .user = {5},
                        .expires_at = noon + milliseconds(1000)};
    node_.login_made(l);
    EXPECT_TRUE(sessions_.find(l.hash, noon).has_value());
    node_.login_removed(l.hash);
    EXPECT_FALSE(sessions_.find(l.hash, noon).has_value());
    node_.login_made(l);
    EXPECT_FALSE(sessions_.find(l.hash, noon).has_value()) << "what was revoked stays so";
    EXPECT_THAT(bus_.published, ElementsAre(Pair("login", guard::shared_logins::tell(l)),
                                            Pair("logout", guard::shared_logins::tell(l.hash)),
                                            Pair("login", guard::shared_logins::tell(l))));
}

TEST_F(ClusterNodeTest, ReadsTheCatalogueAgainWhenItWasChangedElsewhere) {
    node_.follow();
    const auto before = showcase_.version();
    node_.follow();
    EXPECT_EQ(showcase_.version(), before) << "not at every turn";
    node_.hear("catalogue", "");
    node_.follow();
    EXPECT_GT(showcase_.version(), before);
}

TEST_F(ClusterNodeTest, ReadsTheCatalogueAgainAfterAWhileShouldTheBusHaveFailed) {
    node_.follow();
    const auto before = showcase_.version();
    clock_.advance(milliseconds(2000));
    node_.follow();
    EXPECT_GT(showcase_.version(), before);
}

TEST_F(ClusterNodeTest, IgnoresWhatMakesNoSense) {
    node_.hear("news", "nonsense");
    node_.hear("lifted", "nonsense");
    node_.hear("login", "nonsense");
    node_.hear("of a newer version", "1");
    node_.hear("", "");
    EXPECT_EQ(sessions_.count(), 0U);
}

TEST_F(ClusterNodeTest, FindsALogInInTheLedgerWhileRedisIsAway) {
    const std::string token = guard::new_token();
    const sale::login l{.hash = guard::hash_of(token),
                        .user = verbs_.add_user("13800000000"),
                        .expires_at = noon + milliseconds(1000)};
    ASSERT_TRUE(verbs_.book().users().add_login(l).has_value());
    const auto found = node_.find_login(l.hash, noon);
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->user, l.user);
    EXPECT_TRUE(sessions_.find(guard::hash_of(token), noon).has_value()) << "asked once";
    EXPECT_FALSE(node_.find_login(guard::hash_of(guard::new_token()), noon).has_value());
    node_.hear("logout", guard::shared_logins::tell(l.hash));
    EXPECT_FALSE(node_.find_login(l.hash, noon).has_value()) << "the ledger had not heard of it";
}

TEST_F(ClusterNodeTest, IsNotOnDutyWithoutTheLease) { EXPECT_FALSE(node_.on_duty()); }

TEST(BusTopic, IsTheSameWordBothWays) {
    for (int i = 1; i <= 6; ++i) {
        const auto topic = static_cast<bus_topic>(i);
        EXPECT_NE(to_text(topic), "");
        EXPECT_EQ(parse_bus_topic(to_text(topic)), topic);
    }
    EXPECT_EQ(parse_bus_topic("gossip"), std::nullopt);
}

TEST_F(ClusterNodeTest, TellsItsSampleAndHearsThoseOfOthers) {
    node_.sampled("mine");
    EXPECT_THAT(bus_.published, ElementsAre(Pair("live", "mine")));
    api::live_sample other{.at = noon, .state = {.node = 2}};
    node_.hear("live", api::to_text(other));
    node_.hear("live", "nonsense");
    live_.add({.at = noon, .state = {.node = 1}});
    EXPECT_NE(live_.page(1, 1).find("\"nodes\":2"), std::string::npos);
}

}  // namespace
}  // namespace floodgate::engine
