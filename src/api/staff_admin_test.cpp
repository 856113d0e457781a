#include "api/staff_admin.hpp"

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"
#include "guard/totp.hpp"

namespace floodgate::api {
namespace {

class StaffAdminTest : public HandlerTest {
protected:
    StaffAdminTest() {
        // The fixture's admin acts as user 1.
        add_user("10000", sale::role::admin);
    }
    sale::user_id add_user(const std::string& phone, sale::role role) {
        return book_.users()
            .add({.phone = phone,
                  .nickname = "Ann",
                  .password_hash = passwords_.hash("correct horse"),
                  .role = role,
                  .created_at = clock_.now()})
            .value();
    }
    answered log_in(const std::string& phone, const std::string& password,
                    const std::string& more = "") {
        return post("/auth/login",
                    R"({"phone":")" + phone + R"(","password":")" + password + "\"" + more + "}");
    }
    answered log_in_with(const std::string& code) {
        return log_in("10001", "correct horse", R"(,"code":")" + code + "\"");
    }
    static sale::token_hash hash_in(const answered& a) {
        return guard::hash_of(std::string_view(a.body.at("token").as_string()));
    }
    std::optional<guard::identity> known(const sale::token_hash& login) {
        return sessions_.find(login, clock_.now());
    }
    // Following calls are made with this log-in.
    void be(const answered& welcome) {
        next_.login = hash_in(welcome);
        who_ = known(next_.login).value();
        next_.standing = who_.standing;
    }
    std::string secret_of(sale::user_id user) { return book_.second_factors().find(user)->secret; }
    std::string code_now(sale::user_id user) {
        return guard::totp_code(secret_of(user), guard::totp_step_at(clock_.now()));
    }
    // Ann, a viewer with a second factor.
    sale::user_id with_second_factor() {
        const auto ann = add_user("10001", sale::role::viewer);
        be(log_in("10001", "correct horse"));
        EXPECT_EQ(post("/me/second-factor/begin").status, 200);
        const answered done =
            post("/me/second-factor/confirm", R"({"code":")" + code_now(ann) + R"("})");
        EXPECT_EQ(done.status, 200) << done.text;
        recovery_ = done.body.at("recovery_codes").as_array();
        return ann;
    }
    boost::json::array recovery_;
};

TEST_F(StaffAdminTest, AOneTimePasswordMustBeChangedBeforeAnythingElse) {
    const answered made =
        post("/admin/staff", R"({"phone":"10001","nickname":"Li","role":"operator"})");
    ASSERT_EQ(made.status, 201) << made.text;
    const std::string once(made.body.at("one_time_password").as_string());
    const answered in = log_in("10001", once);
    ASSERT_EQ(in.status, 200);
    EXPECT_EQ(in.body.at("user").at("role").as_string(), "operator");
    EXPECT_TRUE(in.body.at("user").at("must_change_password").as_bool());
    EXPECT_EQ(known(hash_in(in))->standing, sale::standing::must_change_password);
    be(in);
    EXPECT_EQ(post("/me/second-factor/begin").code(), "must_change_password");
    EXPECT_EQ(post("/me/password",
                   R"({"old_password":")" + once + R"(","new_password":"battery staple"})")
                  .status,
              204);
    EXPECT_EQ(known(hash_in(in))->standing, sale::standing::full);
    EXPECT_FALSE(get("/me").body.at("must_change_password").as_bool());
}

TEST_F(StaffAdminTest, AGivenPasswordIsKept) {
    const answered made = post("/admin/staff", R"({"phone":"10001","nickname":"Li",)"
                                               R"("role":"support","password":"battery staple"})");
    ASSERT_EQ(made.status, 201) << made.text;
    EXPECT_FALSE(made.body.as_object().contains("one_time_password"));
    EXPECT_EQ(known(hash_in(log_in("10001", "battery staple")))->standing, sale::standing::full);
    EXPECT_EQ(get("/admin/staff").body.at("staff").as_array().size(), 2U);
}

TEST_F(StaffAdminTest, RefusesWhatIsNoMemberOfStaff) {
    EXPECT_EQ(post("/admin/staff", R"({"phone":"10001","nickname":"Li","role":"buyer"})").status,
              400);
    EXPECT_EQ(post("/admin/staff", R"({"phone":"10001","nickname":"Li","role":"king"})").status,
              400);
    EXPECT_EQ(post("/admin/staff", R"({"phone":"10000","nickname":"Li","role":"viewer"})").status,
              409);
    EXPECT_EQ(post("/admin/staff/99/role", R"({"role":"viewer"})").status, 404);
    EXPECT_EQ(post("/admin/staff/99/password").status, 404);
}

TEST_F(StaffAdminTest, AnotherRoleEndsTheLogInsAndLeavesALine) {
    const auto ann = add_user("10001", sale::role::viewer);
    const auto login = hash_in(log_in("10001", "correct horse"));
    const std::string path = "/admin/staff/" + std::to_string(ann.value) + "/role";
    const answered changed = post(path, R"({"role":"support"})");
    ASSERT_EQ(changed.status, 200) << changed.text;
    EXPECT_EQ(changed.body.at("role").as_string(), "support");
    EXPECT_FALSE(known(login));
    const answered lines =
        get("/admin/audit?action=staff.role_changed&subject=user+" + std::to_string(ann.value));
    ASSERT_EQ(lines.body.at("lines").as_array().size(), 1U) << lines.text;
    const auto& line = lines.body.at("lines").at(0);
    EXPECT_EQ(line.at("role").as_string(), "admin");
    EXPECT_EQ(line.at("name").as_string(), "Ann");
    EXPECT_EQ(line.at("details").at("before").at("role").as_string(), "viewer");
    EXPECT_EQ(line.at("details").at("after").at("role").as_string(), "support");
}

TEST_F(StaffAdminTest, TheLastAdminKeepsTheRole) {
    EXPECT_EQ(post("/admin/staff/1/role", R"({"role":"viewer"})").status, 409);
    add_user("10001", sale::role::admin);
    EXPECT_EQ(post("/admin/staff/1/role", R"({"role":"viewer"})").status, 200);
}

TEST_F(StaffAdminTest, LogInsAndFailuresOfStaffAreAudited) {
    EXPECT_EQ(log_in("10000", "wrong horse").status, 401);
    EXPECT_EQ(log_in("10000", "correct horse").status, 200);
    EXPECT_EQ(get("/admin/audit?action=staff.login_failed").body.at("lines").as_array().size(), 1U);
    EXPECT_EQ(get("/admin/audit?action=staff.login&who=1").body.at("lines").as_array().size(), 1U);
    EXPECT_EQ(get("/admin/audit?who=2").body.at("lines").as_array().size(), 0U);
    EXPECT_EQ(get("/admin/audit?from=yesterday").status, 400);
}

TEST_F(StaffAdminTest, ALogInNeedsTheSecondFactorAndEachCodeIsGoodOnce) {
    const auto ann = with_second_factor();
    EXPECT_EQ(log_in("10001", "correct horse").code(), "second_factor_required");
    EXPECT_EQ(log_in_with(code_now(ann)).status, 401) << "used for the confirmation";
    clock_.advance(milliseconds(31'000));
    const std::string code = code_now(ann);
    EXPECT_EQ(log_in_with(code).status, 200);
    EXPECT_EQ(log_in_with(code).status, 401);
}

TEST_F(StaffAdminTest, ARecoveryCodeIsGoodOnce) {
    with_second_factor();
    ASSERT_EQ(recovery_.size(), 10U);
    const std::string code(recovery_[3].as_string());
    EXPECT_EQ(log_in_with(code).status, 200);
    EXPECT_EQ(log_in_with(code).status, 401);
}

TEST_F(StaffAdminTest, WrongCodesAreLimitedLikePasswords) {
    with_second_factor();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(log_in_with("000000").status, 401);
    EXPECT_EQ(log_in_with("000000").status, 429);
}

TEST_F(StaffAdminTest, ARoleMayNeedASecondFactor) {
    with_.second_factor_roles = {sale::role::viewer};
    const auto ann = add_user("10001", sale::role::viewer);
    be(log_in("10001", "correct horse"));
    EXPECT_EQ(who_.standing, sale::standing::second_factor_missing);
    EXPECT_EQ(post("/me/second-factor/begin").status, 200);
    ASSERT_EQ(post("/me/second-factor/confirm", R"({"code":")" + code_now(ann) + R"("})").status,
              200);
    EXPECT_EQ(known(next_.login)->standing, sale::standing::full);
}

TEST_F(StaffAdminTest, AnAdminHelpsSomebodyWhoLostTheirSecondFactor) {
    const auto ann = with_second_factor();
    as_admin();
    const std::string path = "/admin/staff/" + std::to_string(ann.value) + "/second-factor/remove";
    EXPECT_EQ(post(path).status, 204);
    EXPECT_EQ(post(path).status, 404);
    EXPECT_EQ(log_in("10001", "correct horse").status, 200);
}

}  // namespace
}  // namespace floodgate::api
