#include <boost/json/parse.hpp>

#include "http/request_desk_fixture.hpp"

namespace floodgate::http {
namespace {

class RequestDeskKeysTest : public RequestDeskTest {
protected:
    std::string make_key(const std::string& scopes, instant expires_at = from_ms(0)) {
        const std::string secret = guard::new_api_key();
        ledger::api_key_row row{.name = "till", .scopes = scopes, .secret = guard::hash_of(secret)};
        row.created_at = clock_.now();
        row.expires_at = expires_at;
        last_key_ = book_.keys()
                        .add(row, [](std::int64_t) { return ledger::audit_line{.details = "{}"}; })
                        .value();
        EXPECT_TRUE(access_.reload());
        return secret;
    }
    decision exchange(const std::string& token) {
        return decide({.verb = api::verb::post,
                       .path = "/api/v1/service/logins",
                       .token = token,
                       .content_type = "application/json",
                       .body = "{}"});
    }
    std::int64_t last_key_ = 0;
};

TEST_F(RequestDeskKeysTest, AKeyMakesTheCallsOfItsScope) {
    const std::string key = make_key("logins");
    const decision d = exchange(key);
    ASSERT_TRUE(std::holds_alternative<pool_job>(d));
    const api::call& c = std::get<pool_job>(d).call;
    EXPECT_EQ(c.key, last_key_);
    EXPECT_EQ(c.key_name, "till");
    EXPECT_EQ(c.user.value, 0);
    access_.follow();
    EXPECT_EQ(book_.keys().find(last_key_).value().last_used_at, clock_.now());
}

TEST_F(RequestDeskKeysTest, AKeyWithoutTheScopeIsForbidden) {
    EXPECT_EQ(status(exchange(make_key("catalogue orders payment"))), 403);
}

TEST_F(RequestDeskKeysTest, NothingElseOpensTheCallsOfMachines) {
    EXPECT_EQ(status(exchange("")), 401);
    EXPECT_EQ(status(exchange(made_up_)), 401);
    EXPECT_EQ(status(exchange("fgk_" + made_up_)), 401);
    EXPECT_EQ(status(exchange(log_in(1, sale::role::admin))), 401) << "not even an admin";
    EXPECT_EQ(status(exchange(log_in(5))), 401);
    EXPECT_EQ(asked_elsewhere_, 0);
}

TEST_F(RequestDeskKeysTest, AKeyOpensNothingElse) {
    const std::string key = make_key("catalogue orders logins payment");
    EXPECT_EQ(status(decide(buying(key))), 401);
    EXPECT_EQ(status(decide(getting("/api/v1/me", key))), 401);
    EXPECT_EQ(status(decide(getting("/api/v1/admin/sales", key))), 401);
}

TEST_F(RequestDeskKeysTest, AnExpiredOrRevokedKeyIsRefused) {
    const std::string brief = make_key("logins", clock_.now() + seconds(5));
    EXPECT_EQ(status(exchange(brief)), 0);
    clock_.advance(seconds(5));
    EXPECT_EQ(status(exchange(brief)), 401);
    const std::string key = make_key("logins");
    EXPECT_EQ(status(exchange(key)), 0);
    book_.keys().revoke(last_key_, clock_.now(), {}).value();
    access_.follow();
    EXPECT_EQ(status(exchange(key)), 401);
}

TEST_F(RequestDeskKeysTest, EveryKeyHasARateOfItsOwn) {
    const std::string one = make_key("logins"), other = make_key("logins");
    for (int i = 0; i < 20; ++i) EXPECT_EQ(status(exchange(one)), 0);
    EXPECT_EQ(status(exchange(one)), 429);
    EXPECT_EQ(status(exchange(other)), 0);
}

TEST_F(RequestDeskKeysTest, OnlyAGoodKeyMaySendABody) {
    const auto room = [&](const std::string& token) {
        return desk_.body_room(
            {.verb = api::verb::post, .path = "/api/v1/service/logins", .token = token},
            clock_.now());
    };
    EXPECT_EQ(room("fgk_" + made_up_), 0U);
    EXPECT_EQ(room(log_in(1, sale::role::admin)), 0U);
    EXPECT_EQ(room(make_key("orders")), 0U);
    EXPECT_GT(room(make_key("logins")), 0U);
}

TEST_F(RequestDeskKeysTest, ADisabledUserIsToldSo) {
    const auto user = verbs_.add_user("13800000000");
    const std::string token = log_in(user.value);
    EXPECT_TRUE(std::holds_alternative<sale::attempt>(decide(buying(token))));
    verbs_.sql("UPDATE users SET disabled_ms = 5");
    verbs_.sql("UPDATE access_revision SET revision = revision + 1");
    access_.follow();
    const decision d = decide(buying(token));
    ASSERT_EQ(status(d), 403);
    EXPECT_EQ(boost::json::parse(std::get<api::reply>(d).body).at("code").as_string(),
              "account_disabled");
}

}  // namespace
}  // namespace floodgate::http
