// The contract of the ticket office: in memory, in Redis, in a Redis Cluster.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/eventually.hpp"
#include "base/hex.hpp"
#include "guard/shared_tickets.hpp"
#include "guard/tickets.hpp"
#include "guard/tokens.hpp"
#include "store/redis/redis_fixture.hpp"

namespace floodgate::guard {
namespace {

constexpr ticket_holder ann{.user = {7}, .login = {std::byte{0xA7}}},
    ben{.user = {8}, .login = {std::byte{0xB8}, std::byte{0x01}}};

enum class kind : std::uint8_t { memory = 1, redis, redis_cluster };

class TicketOfficeTest : public testing::TestWithParam<kind> {
protected:
    void SetUp() override {
        if (GetParam() == kind::memory) {
            office_ = std::make_unique<tickets>();
            return;
        }
        const bool cluster = GetParam() == kind::redis_cluster;
        FLOODGATE_NEED_REDIS(cluster);
        redis_ = std::make_unique<store::redis>(store::shared_redis(cluster));
        office_ = std::make_unique<shared_tickets>(*redis_, name_);
    }
    std::string issue(const ticket_holder& to) {
        auto issued = office_->issue(to, noon_);
        EXPECT_TRUE(issued);
        return issued ? issued->text : "";
    }

    const instant noon_ = wall_clock().now();
    const std::string name_ = store::random_name();
    std::unique_ptr<store::redis> redis_;
    std::unique_ptr<ticket_office> office_;
};

TEST_P(TicketOfficeTest, ATicketIsWorthOneUse) {
    const auto ticket = office_->issue(ann, noon_);
    ASSERT_TRUE(ticket);
    EXPECT_EQ(ticket->text.size(), 32U);  // 192 bits
    EXPECT_EQ(ticket->expires_at, noon_ + std::chrono::seconds(30));
    EXPECT_EQ(office_->redeem(ticket->text, noon_).value(), ann);
    EXPECT_EQ(office_->redeem(ticket->text, noon_).value(), std::nullopt);
}

TEST_P(TicketOfficeTest, ATicketRemembersTheLogInItWasIssuedFor) {
    const ticket_holder on_the_phone{.user = ann.user, .login = {std::byte{0x01}, std::byte{0xFF}}};
    const std::string laptop = issue(ann), phone = issue(on_the_phone);
    EXPECT_EQ(office_->redeem(phone, noon_).value(), on_the_phone);
    EXPECT_EQ(office_->redeem(laptop, noon_).value(), ann);
}

TEST_P(TicketOfficeTest, ATicketExpiresAfterHalfAMinute) {
    const std::string early = issue(ann);
    const std::string late = issue(ann);
    EXPECT_EQ(office_->redeem(early, noon_ + milliseconds(29'999)).value(), ann);
    EXPECT_EQ(office_->redeem(late, noon_ + milliseconds(30'000)).value(), std::nullopt);
}

TEST_P(TicketOfficeTest, RefusesWhatItDidNotIssue) {
    const std::string ticket = issue(ann);
    for (const std::string& text : {std::string(), std::string(32, 'x'), ticket + "x",
                                    ticket.substr(1), std::string(100'000, 'a')})
        EXPECT_EQ(office_->redeem(text, noon_).value(), std::nullopt) << text.substr(0, 40);
    EXPECT_EQ(office_->redeem(ticket, noon_).value(), ann);
}

TEST_P(TicketOfficeTest, OneUserHasTwentyAtMostAndLosesAnOlderOne) {
    const std::string bens = issue(ben);
    std::vector<std::string> anns{issue(ann)};
    const wall_clock redis_time;  // the first is the oldest by the clock of Redis, too
    const instant issued = redis_time.now();
    ASSERT_TRUE(eventually([&] { return redis_time.now() > issued; }));
    for (int i = 0; i < 20; ++i) anns.push_back(issue(ann));
    EXPECT_EQ(office_->redeem(anns[0], noon_).value(), std::nullopt);
    for (std::size_t i = 1; i < anns.size(); ++i)
        EXPECT_EQ(office_->redeem(anns[i], noon_).value(), ann) << i;
    EXPECT_EQ(office_->redeem(bens, noon_).value(), ben);
}

TEST_P(TicketOfficeTest, AUsedTicketMakesRoomForAnother) {
    const std::string first = issue(ann);
    for (int i = 0; i < 30; ++i) EXPECT_EQ(office_->redeem(issue(ann), noon_).value(), ann);
    EXPECT_EQ(office_->redeem(first, noon_).value(), ann);
}

TEST_P(TicketOfficeTest, OfManyWhoTryOneOnlyOneGetsIn) {
    for (int round = 0; round < 50; ++round) {
        const std::string ticket = issue(ann);
        std::atomic<int> in{0};
        std::vector<std::jthread> crowd;
        crowd.reserve(3);
        for (int i = 0; i < 3; ++i)
            crowd.emplace_back(
                [&] { in += office_->redeem(ticket, noon_).value().has_value() ? 1 : 0; });
        crowd.clear();
        ASSERT_EQ(in, 1);
    }
}

TEST_P(TicketOfficeTest, SaysWhetherItMayBlock) {
    EXPECT_EQ(office_->may_block(), GetParam() != kind::memory);
}

std::string name_of(const testing::TestParamInfo<kind>& info) {
    switch (info.param) {
    case kind::memory: return "Memory";
    case kind::redis: return "Redis";
    case kind::redis_cluster: return "RedisCluster";
    }
    return "";
}
INSTANTIATE_TEST_SUITE_P(Offices, TicketOfficeTest,
                         testing::Values(kind::memory, kind::redis, kind::redis_cluster), name_of);

class SharedTicketsTest : public testing::Test {
protected:
    void SetUp() override { FLOODGATE_NEED_REDIS(false); }
};

TEST_F(SharedTicketsTest, AreGoodAtAnotherNode) {
    store::redis redis(store::shared_redis(false));
    const std::string name = store::random_name();
    shared_tickets here(redis, name);
    shared_tickets there(redis, name);
    const instant now = wall_clock().now();
    const auto ticket = here.issue(ann, now);
    ASSERT_TRUE(ticket);
    EXPECT_EQ(there.redeem(ticket->text, now).value(), ann);
    EXPECT_EQ(here.redeem(ticket->text, now).value(), std::nullopt);
}

TEST_F(SharedTicketsTest, ThatDoNotNameTheirLogInAreRefused) {
    store::redis redis(store::shared_redis(false));
    const std::string name = store::random_name();
    shared_tickets office(redis, name);
    const instant now = wall_clock().now();
    const std::string later = std::to_string(to_ms(now + milliseconds(60'000)));
    for (const std::string& value : {"7 " + later, "7 " + later + " ", "7 " + later + " a7",
                                     std::string("7"), std::string(" ")}) {
        const auto ticket = office.issue(ann, now);
        ASSERT_TRUE(ticket);
        const std::string key =
            name + ":ticket:" + to_hex(byte_view(hash_of(ticket->text)).first(16));
        ASSERT_TRUE(redis.ask(key, {"SET", key, value}));
        EXPECT_EQ(office.redeem(ticket->text, now).value(), std::nullopt) << value;
    }
}

TEST_F(SharedTicketsTest, LeaveNothingBehind) {
    store::redis redis(store::shared_redis(false));
    const std::string name = store::random_name();
    shared_tickets office(redis, name, {.lifetime = milliseconds(50)});
    const instant now = wall_clock().now();
    const auto ticket = office.issue(ann, now);
    ASSERT_TRUE(ticket);
    EXPECT_TRUE(eventually([&] { return redis.ask("", {"KEYS", name + ":*"})->items.empty(); }));
    EXPECT_EQ(office.redeem(ticket->text, now).value(), std::nullopt) << "Redis' clock counts, too";
}

TEST(SharedTickets, SayWhenRedisIsAway) {
    store::own_redis server;
    store::redis redis(server.options());
    server.kill();
    shared_tickets office(redis, "fg");
    EXPECT_EQ(office.issue(ann, wall_clock().now()).error(), errc::store_unavailable);
    EXPECT_EQ(office.redeem(std::string(32, 'x'), wall_clock().now()).error(),
              errc::store_unavailable)
        << "it may be good";
}

}  // namespace
}  // namespace floodgate::guard
