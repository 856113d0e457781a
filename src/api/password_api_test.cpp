#include "api/password_api.hpp"

#include "api/handler_fixture.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

class PasswordApiTest : public HandlerTest {
protected:
    PasswordApiTest() {
        const answered a = post("/auth/register", R"({"phone":"13800000000",)"
                                                  R"("password":"correct horse",)"
                                                  R"("nickname":"Ming"})");
        here_ = hash_in(a);
        as_buyer(a.body.at("user").at("id").as_int64());
        next_.login = here_;
    }
    static sale::token_hash hash_in(const answered& a) {
        return guard::hash_of(std::string_view(a.body.at("token").as_string()));
    }
    answered log_in(const std::string& password) {
        return post("/auth/login", R"({"phone":"13800000000","password":")" + password + R"("})");
    }
    answered change(const std::string& from, const std::string& to) {
        return post("/me/password",
                    R"({"old_password":")" + from + R"(","new_password":")" + to + R"("})");
    }
    bool is_valid(const sale::token_hash& login) {
        return sessions_.find(login, clock_.now()).has_value();
    }

    sale::token_hash here_;
};

TEST_F(PasswordApiTest, ANewPasswordEndsTheOtherLogInsAndReplacesTheOldOne) {
    const auto elsewhere = hash_in(log_in("correct horse"));
    EXPECT_TRUE(is_valid(elsewhere));
    EXPECT_EQ(change("correct horse", "battery staple").status, 204);
    EXPECT_EQ(second_step_in_, pool::password);
    EXPECT_TRUE(is_valid(here_));
    EXPECT_FALSE(is_valid(elsewhere));
    EXPECT_EQ(log_in("correct horse").code(), "wrong_credentials");
    EXPECT_EQ(log_in("battery staple").status, 200);
}

TEST_F(PasswordApiTest, NeedsTheOldPassword) {
    const auto elsewhere = hash_in(log_in("correct horse"));
    const answered wrong = change("wrong horse", "battery staple");
    EXPECT_EQ(wrong.status, 401);
    EXPECT_EQ(wrong.code(), "wrong_credentials");
    EXPECT_TRUE(is_valid(elsewhere));
    EXPECT_EQ(log_in("correct horse").status, 200);
}

TEST_F(PasswordApiTest, LimitsGuessesOfTheOldPassword) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(change("wrong horse", "battery staple").status, 401);
    EXPECT_EQ(change("correct horse", "battery staple").status, 429);
    clock_.advance(milliseconds(10'000));
    EXPECT_EQ(change("correct horse", "battery staple").status, 204);
}

TEST_F(PasswordApiTest, HoldsANewPasswordToTheRules) {
    for (const char* bad : {"short", "13800000000", "password", "correct horse"}) {
        const answered r = change("correct horse", bad);
        EXPECT_EQ(r.status, 400) << bad;
        EXPECT_EQ(r.body.at("field").as_string(), "new_password");
    }
    EXPECT_EQ(log_in("correct horse").status, 200);
}

}  // namespace
}  // namespace floodgate::api
