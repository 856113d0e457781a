// Who is limited, and by what.

#include "http/request_desk_fixture.hpp"

namespace floodgate::http {
namespace {

TEST_F(RequestDeskTest, LimitsAnAddressButNotAProxyOfOurs) {
    const std::string token = log_in(5);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(status(decide(buying(token))), 0) << i;
    EXPECT_EQ(status(decide(buying(token))), 429);
    client_ = {guard::parse_address("127.0.0.1").value(), true};
    EXPECT_EQ(status(decide(buying(token))), 0);
    request forwarded = buying(token);
    forwarded.forwarded_for = "192.0.2.9";
    EXPECT_EQ(status(decide(forwarded)), 429) << "the client behind the proxy";
}

// Regression M9: such a client counted as the proxy, which is exempt.
TEST_F(RequestDeskTest, LimitsAProxyThatForwardsWhatCannotBeRead) {
    const std::string token = log_in(5);
    client_ = {guard::parse_address("127.0.0.1").value(), true};
    request r = buying(token);
    for (const char* unreadable :
         {"garbage", "9.9.9.8, unknown", "", " ", "1.2.3.4, ", ", 127.0.0.1"}) {
        r.forwarded_for = unreadable;
        EXPECT_EQ(status(decide(r)), 0) << unreadable;
    }
    EXPECT_EQ(status(decide(r)), 429);
    r.forwarded_for = "";
    EXPECT_EQ(status(decide(r)), 429) << "blank is not the same as none";
    r.forwarded_for = std::nullopt;
    EXPECT_EQ(status(decide(r)), 0) << "the proxy itself is not limited";
    r.forwarded_for = "192.0.2.77:4711";
    EXPECT_EQ(status(decide(r)), 0) << "nor is somebody else behind it";
    request trying = getting("/api/v1/auth/login");
    trying.verb = api::verb::post;
    trying.forwarded_for = "garbage";
    const decision d = decide(trying);
    ASSERT_TRUE(std::holds_alternative<pool_job>(d));
    EXPECT_FALSE(std::get<pool_job>(d).call.client_is_trusted_proxy);
    EXPECT_TRUE(std::get<pool_job>(d).first);
}

// Regression M3, M4.
TEST_F(RequestDeskTest, LimitsWhatAUserLooksUpAndMoves) {
    const std::string token = log_in(5), other = log_in(6);
    for (int i = 0; i < 200; ++i)
        ASSERT_EQ(status(decide(getting(i % 2 == 0 ? "/api/v1/orders" : "/api/v1/me", token))), 0);
    EXPECT_EQ(status(decide(getting("/api/v1/orders/7", token))), 429);
    EXPECT_EQ(status(decide(getting("/api/v1/me", token))), 429);
    EXPECT_EQ(status(decide(getting("/api/v1/me", other))), 0) << "somebody else";
    EXPECT_EQ(status(decide(moving("cancel", token))), 0) << "moves have a limit of their own";

    for (int i = 1; i < 100; ++i) ASSERT_EQ(status(decide(moving("pay", token))), 0);
    const decision refused = decide(moving("refund", token));
    ASSERT_EQ(status(refused), 429);
    EXPECT_NE(std::get<api::reply>(refused).body.find("\"retry_after_ms\":10000"),
              std::string::npos);
    clock_.advance(milliseconds(10'000));
    EXPECT_EQ(status(decide(moving("refund", token))), 0);
}

TEST_F(RequestDeskTest, LimitsAnAddressBeforeTheOtherNodesAreAsked) {
    know_elsewhere(guard::new_token(), 5);
    for (int i = 0; i < 6; ++i)
        EXPECT_EQ(status(decide_to_the_end(getting("/api/v1/me", guard::new_token()))), 401);
    EXPECT_EQ(status(decide_to_the_end(getting("/api/v1/me", guard::new_token()))), 429);
    EXPECT_EQ(asked_elsewhere_, 6);
}

TEST_F(RequestDeskTest, LetsTheAddressPayOnceForAPurchaseWhoseLogInIsElsewhere) {
    for (std::int64_t user = 1; user <= 6; ++user) {
        const std::string token = guard::new_token();
        know_elsewhere(token, user);
        EXPECT_TRUE(std::holds_alternative<sale::attempt>(decide_to_the_end(buying(token))))
            << user;
    }
    EXPECT_EQ(status(decide(buying(log_in(7)))), 429);
}

// Regression M3, M4: a log-out is a write to the ledger, and had no limit.
TEST_F(RequestDeskTest, CountsLogOutsAmongLookUps) {
    const std::string token = log_in(5);
    const request leaving{.verb = api::verb::post, .path = "/api/v1/auth/logout", .token = token};
    for (int i = 0; i < 200; ++i) ASSERT_EQ(status(decide(leaving)), 0);
    EXPECT_EQ(status(decide(leaving)), 429);
    EXPECT_EQ(status(decide(getting("/api/v1/me", token))), 429);
}

// Regression M4: the limit was asked for in the pool, where everybody had to wait for the refused.
TEST_F(RequestDeskTest, GivesAUserSoManyTicketsAndThenOneASecond) {
    const std::string token = log_in(5), other = log_in(6);
    request r{.verb = api::verb::post, .path = "/api/v1/ws/ticket", .token = token};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(status(decide(r)), 0);
    const decision refused = decide(r);
    ASSERT_EQ(status(refused), 429);
    EXPECT_NE(std::get<api::reply>(refused).body.find("\"retry_after_ms\":1000"),
              std::string::npos);
    EXPECT_EQ(events_told_, std::vector<std::string>{"guard.limited limit=ticket_by_user user=5 "
                                                     "from=192.0.2.9 route=/api/v1/ws/ticket"});
    r.token = other;
    EXPECT_EQ(status(decide(r)), 0) << "others are not held up";
    r.token = token;
    clock_.advance(milliseconds(1000));
    const decision again = decide(r);
    ASSERT_TRUE(std::holds_alternative<pool_job>(again));
    EXPECT_EQ(std::get<pool_job>(again).call.login, guard::hash_of(token));
}

// Regression M4, L14: in a cluster every made-up ticket was a job of the buyers' pool and a
// question to Redis, without a limit.
TEST_F(RequestDeskTest, LimitsAnAddressBeforeItsTicketsAreLookedUpInAPool) {
    request r = getting("/api/v1/ws");
    const std::string query = "ticket=" + made_up_;
    r.query = query;
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(status(decide(r)), 0) << "in memory; redeemed on the loop";
    tickets_.blocks = true;
    for (int i = 0; i < 6; ++i) EXPECT_EQ(status(decide(r)), 0) << i;
    EXPECT_EQ(status(decide(r)), 429);
    EXPECT_EQ(events_told_,
              std::vector<std::string>{
                  "guard.limited limit=purchase_by_address from=192.0.2.9 route=/api/v1/ws"});
    client_ = {guard::parse_address("198.51.100.7").value(), false};
    EXPECT_EQ(status(decide(r)), 0) << "somebody else";
}

TEST_F(RequestDeskTest, LimitsAnAddressByTheMessagesThatWereRefused) {
    request r{.verb = api::verb::post, .path = "/api/v1/payments/alipay/notify"};
    r.body = "a=1";
    r.body_bytes = r.body.size();
    for (int i = 0; i < 100; ++i) ASSERT_EQ(status(decide(r)), 0) << "deciding charges nobody";
    const auto key = guard::limiter_key(client_.address);
    while (message_by_address_.try_take(key, clock_.now()) == milliseconds(0)) {
    }
    EXPECT_EQ(status(decide(r)), 429);
    EXPECT_EQ(events_told_, std::vector<std::string>{"guard.limited limit=message_by_address "
                                                     "from=192.0.2.9 "
                                                     "route=/api/v1/payments/alipay/notify"});
    client_ = {guard::parse_address("127.0.0.1").value(), true};
    EXPECT_EQ(status(decide(r)), 0) << "a proxy of ours";
    r.forwarded_for = "192.0.2.9";
    EXPECT_EQ(status(decide(r)), 429);
    r.forwarded_for = "192.0.2.10";
    EXPECT_EQ(status(decide(r)), 0) << "somebody else";
    clock_.advance(seconds(10));
    r.forwarded_for = "192.0.2.9";
    EXPECT_EQ(status(decide(r)), 0);
}

}  // namespace
}  // namespace floodgate::http
