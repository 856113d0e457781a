#include "api/login_exchange.hpp"

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

class LoginExchangeTest : public HandlerTest {
protected:
    LoginExchangeTest() {
        who_ = {};
        next_.key = 3;
    }
    answered exchange(const std::string& id, const std::string& nickname = "Ming") {
        return post("/service/logins",
                    R"({"external_id":")" + id + R"(","nickname":")" + nickname + R"("})");
    }
};

TEST_F(LoginExchangeTest, GivesALogInThatWorksForAUserMadeAtFirstSight) {
    const answered first = exchange("shop-7");
    ASSERT_EQ(first.status, 200);
    const auto& user = first.body.at("user");
    EXPECT_EQ(user.at("external_id").as_string(), "shop-7");
    EXPECT_FALSE(user.as_object().contains("phone"));
    const auto who = sessions_.find(
        guard::hash_of(std::string_view(first.body.at("token").as_string())), clock_.now());
    ASSERT_TRUE(who);
    EXPECT_EQ(who->user.value, user.at("id").as_int64());
    EXPECT_EQ(who->role, sale::role::buyer);

    const answered again = exchange("shop-7", "Ming II");
    EXPECT_EQ(again.body.at("user").at("id"), user.at("id"));
    EXPECT_EQ(again.body.at("user").at("nickname").as_string(), "Ming II");
    EXPECT_NE(again.body.at("token"), first.body.at("token"));

    as_buyer(user.at("id").as_int64());
    EXPECT_EQ(get("/me").body, again.body.at("user")) << "the missing phone number is not shown";
}

TEST_F(LoginExchangeTest, RefusesIdsThatCannotBeTypedAndNamesOfTheStaff) {
    for (const char* bad : {"two words", "名", ""}) EXPECT_EQ(exchange(bad).status, 400) << bad;
    EXPECT_EQ(exchange(std::string(65, 'x')).status, 400);
    EXPECT_EQ(exchange(std::string(64, 'x')).status, 200);
    EXPECT_EQ(exchange("shop-7", "admin").status, 400);
}

TEST_F(LoginExchangeTest, GivesNoLogInToADisabledUser) {
    exchange("shop-7");
    verbs_.sql("UPDATE users SET disabled_ms = 5");
    const answered r = exchange("shop-7");
    EXPECT_EQ(r.status, 403);
    EXPECT_EQ(r.code(), "account_disabled");
}

}  // namespace
}  // namespace floodgate::api
