#include "api/account_admin.hpp"

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

class AccountAdminTest : public HandlerTest {
protected:
    AccountAdminTest() {
        verbs_.sql(
            "INSERT INTO users (id, phone, nickname, password_hash, role, created_ms) "
            "VALUES (1, '10000', 'Boss', '', 'admin', 5)");
        const answered a = post("/auth/register", R"({"phone":"13800000000",)"
                                                  R"("password":"correct horse",)"
                                                  R"("nickname":"Ming"})");
        login_ = guard::hash_of(std::string_view(a.body.at("token").as_string()));
        id_ = a.body.at("user").at("id").as_int64();
        path_ = "/admin/users/" + std::to_string(id_);
    }
    answered log_in(const std::string& password = "correct horse") {
        return post("/auth/login", R"({"phone":"13800000000","password":")" + password + R"("})");
    }
    answered reset(const std::string& code, const std::string& password = "battery staple") {
        return post("/auth/reset", R"({"phone":"138 0000 0000","code":")" + code +
                                       R"(","password":")" + password + R"("})");
    }
    bool is_logged_in() { return sessions_.find(login_, clock_.now()).has_value(); }
    bool is_disabled() { return access_.lists().read()->is_disabled({id_}); }

    sale::token_hash login_;
    std::int64_t id_ = 0;
    std::string path_;
};

TEST_F(AccountAdminTest, FindsAUserByPhoneNumberAndExternalIdAndListsAll) {
    EXPECT_EQ(get("/admin/users?phone=13800000000").body.at("users").at(0).at("id").as_int64(),
              id_);
    EXPECT_TRUE(get("/admin/users?phone=1").body.at("users").as_array().empty());
    const auto shop = book_.accounts().find_or_add({"shop-7", "Lan"}, clock_.now()).value();
    const answered by_id = get("/admin/users?external_id=shop-7");
    EXPECT_EQ(by_id.body.at("users").at(0).at("id").as_int64(), shop.id.value);
    const answered page = get("/admin/users?limit=2");
    EXPECT_EQ(page.body.at("users").as_array().size(), 2U);
    EXPECT_EQ(page.body.at("next_before").as_int64(), id_);
    EXPECT_EQ(get(path_).body.at("nickname").as_string(), "Ming");
    EXPECT_EQ(get("/admin/users/999").status, 404);
}

TEST_F(AccountAdminTest, ADisabledUserIsOutAtOnceAndCannotLogIn) {
    const answered r = post(path_ + "/disable", R"({"reason":"resells"})");
    ASSERT_EQ(r.status, 200);
    EXPECT_EQ(r.body.at("disabled_at").as_string(), to_iso(clock_.now()));
    EXPECT_FALSE(is_logged_in());
    EXPECT_TRUE(is_disabled());
    EXPECT_EQ(log_in().code(), "account_disabled");
    EXPECT_EQ(log_in("wrong horse").code(), "wrong_credentials") << "says nothing to strangers";
    EXPECT_NE(get("/admin/audit").text.find("resells"), std::string::npos);

    EXPECT_EQ(post(path_ + "/enable", R"({"reason":"a mistake"})").status, 200);
    EXPECT_FALSE(is_disabled());
    EXPECT_FALSE(is_logged_in()) << "the old log-in stays ended";
    EXPECT_EQ(log_in().status, 200);
}

TEST_F(AccountAdminTest, WantsAReasonAndRefusesToDisableOneself) {
    for (const char* body : {"{}", R"({"reason":""})", R"({"reason":"x","more":1})"})
        EXPECT_EQ(post(path_ + "/disable", body).status, 400) << body;
    EXPECT_EQ(post("/admin/users/1/disable", R"({"reason":"x"})").status, 409);
    EXPECT_EQ(post("/admin/users/999/disable", R"({"reason":"x"})").status, 404);
    EXPECT_TRUE(is_logged_in());
}

TEST_F(AccountAdminTest, AForgottenUserLeavesNoNameAndKeepsTheirOrders) {
    const auto sale = published_sale(5);
    buy(id_, sale);
    enter_all();
    const answered r = post(path_ + "/forget", R"({"reason":"asked for it"})");
    ASSERT_EQ(r.status, 200);
    EXPECT_EQ(r.text.find("Ming"), std::string::npos);
    EXPECT_EQ(r.text.find("13800000000"), std::string::npos);
    EXPECT_EQ(r.text.find('~'), std::string::npos) << "the stand-in for the number is not shown";
    EXPECT_FALSE(is_logged_in());
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM orders"), 1);
    EXPECT_EQ(log_in().code(), "wrong_credentials") << "as if the account had never been";
    EXPECT_EQ(post(path_ + "/enable", R"({"reason":"x"})").status, 409);
    EXPECT_EQ(post("/admin/users/1/forget", R"({"reason":"x"})").status, 409) << "staff";
    EXPECT_EQ(post("/auth/register",
                   R"({"phone":"13800000000","password":"correct horse","nickname":"New"})")
                  .status,
              201)
        << "the number is free again";
}

TEST_F(AccountAdminTest, AResetCodeSetsANewPasswordOnce) {
    const answered made = post(path_ + "/password-reset");
    ASSERT_EQ(made.status, 201);
    const std::string code(made.body.at("code").as_string());
    EXPECT_EQ(reset("WRONG234").code(), "wrong_credentials");
    EXPECT_EQ(reset(code.substr(0, 4) + "-" + code.substr(4)).status, 204);
    EXPECT_FALSE(is_logged_in());
    EXPECT_EQ(log_in().code(), "wrong_credentials");
    EXPECT_EQ(log_in("battery staple").status, 200);
    EXPECT_EQ(reset(code, "another word").code(), "wrong_credentials") << "it works once";
    EXPECT_EQ(get("/admin/audit").text.find(code), std::string::npos);
}

TEST_F(AccountAdminTest, AResetCodeEndsAfterAQuarterOfAnHourOrFiveTries) {
    std::string code(post(path_ + "/password-reset").body.at("code").as_string());
    clock_.advance(std::chrono::minutes(15));
    EXPECT_EQ(reset(code).code(), "wrong_credentials");
    code = post(path_ + "/password-reset").body.at("code").as_string();
    for (int i = 0; i < 5; ++i) {
        clock_.advance(std::chrono::minutes(1));  // so that the limits of log-ins do not step in
        EXPECT_EQ(reset("WRONG234").code(), "wrong_credentials");
    }
    clock_.advance(std::chrono::minutes(1));
    EXPECT_EQ(reset(code).code(), "wrong_credentials") << "five wrong ones used it up";
    EXPECT_EQ(log_in().status, 200);
}

TEST_F(AccountAdminTest, GuessesOfACodeAreLimitedLikeThoseOfAPassword) {
    post(path_ + "/password-reset");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(reset("WRONG234").status, 401);
    EXPECT_EQ(reset("WRONG234").status, 429);
}

TEST_F(AccountAdminTest, AnUnknownNumberAndAWrongCodeGetTheSameAnswer) {
    const answered wrong = reset("WRONG234");
    const answered unknown = post(
        "/auth/reset", R"({"phone":"13900000000","code":"WRONG234","password":"battery staple"})");
    EXPECT_EQ(wrong.status, unknown.status);
    EXPECT_EQ(wrong.body, unknown.body);
}

TEST_F(AccountAdminTest, AUserSeesAndEndsTheirLogIns) {
    const answered second = log_in();
    as_buyer(id_);
    next_.login = guard::hash_of(std::string_view(second.body.at("token").as_string()));
    const answered all = get("/me/logins");
    ASSERT_EQ(all.body.at("logins").as_array().size(), 2U);
    std::int64_t other = 0;
    for (const auto& l : all.body.at("logins").as_array()) {
        EXPECT_EQ(l.at("address").as_string(), "192.0.2.1");
        if (!l.at("current").as_bool()) other = l.at("id").as_int64();
    }
    EXPECT_EQ(other, guard::public_number(login_));
    EXPECT_EQ(post("/me/logins/" + std::to_string(other) + "/end").status, 204);
    EXPECT_FALSE(is_logged_in());
    EXPECT_EQ(post("/me/logins/" + std::to_string(other) + "/end").status, 404);
    as_buyer(999);
    EXPECT_EQ(
        post("/me/logins/" + std::to_string(guard::public_number(next_.login)) + "/end").status,
        404)
        << "another user's";
    as_buyer(id_);
    who_ = {{id_}, sale::role::buyer};
    log_in();
    EXPECT_EQ(post("/me/logins/end-others").body.at("ended").as_int64(), 1);
    EXPECT_EQ(get("/me/logins").body.at("logins").as_array().size(), 1U);
}

}  // namespace
}  // namespace floodgate::api
