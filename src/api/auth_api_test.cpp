#include "api/auth_api.hpp"

#include "api/failure.hpp"
#include "api/handler_fixture.hpp"
#include "guard/addresses.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

class AuthApiTest : public HandlerTest {
protected:
    answered sign_up(const std::string& phone, const std::string& password = "correct horse") {
        return post("/auth/register", R"({"phone":")" + phone + R"(","password":")" + password +
                                          R"(","nickname":"Ming"})");
    }
    answered sign_in(const std::string& phone, const std::string& password = "correct horse") {
        return post("/auth/login",
                    R"({"phone":")" + phone + R"(","password":")" + password + R"("})");
    }
    static std::string token_of(const answered& a) {
        return std::string(a.body.at("token").as_string());
    }
    std::optional<guard::identity> find(const std::string& token) const {
        return sessions_.find(guard::hash_of(token), clock_.now());
    }
    void from(const char* address) { next_.client = guard::parse_address(address).value(); }
};

TEST_F(AuthApiTest, RegistersAndIsLoggedInAtOnce) {
    const answered r = sign_up("138 0000-0000");
    ASSERT_EQ(r.status, 201);
    EXPECT_EQ(r.body.at("user").at("phone").as_string(), "13800000000");
    EXPECT_EQ(r.body.at("user").at("role").as_string(), "buyer");
    EXPECT_EQ(r.body.at("expires_at").as_string(), to_iso(ledger::noon + milliseconds(3'600'000)));
    const auto who = find(token_of(r));
    ASSERT_TRUE(who);
    EXPECT_EQ(who->user.value, r.body.at("user").at("id").as_int64());
    EXPECT_NE(r.headers.find("no-store"), std::string::npos);
}

TEST_F(AuthApiTest, KeepsTheLoginForARestart) {
    const answered r = sign_up("13800000000");
    std::vector<sale::token_hash> kept;
    ASSERT_TRUE(
        book_.users()
            .for_each_login(clock_.now(), [&](const sale::login& l) { kept.push_back(l.hash); })
            .has_value());
    EXPECT_EQ(kept, std::vector{guard::hash_of(token_of(r))}) << "the hash, never the token";
}

TEST_F(AuthApiTest, RefusesAPhoneNumberThatIsTaken) {
    sign_up("13800000000");
    const answered r = sign_up("+86 138 0000 0000");
    EXPECT_EQ(r.status, 409);
    EXPECT_EQ(r.code(), "already_exists");
}

TEST_F(AuthApiTest, LogsInWithTheRightPasswordOnly) {
    sign_up("13800000000");
    const answered in = sign_in("138-0000-0000");
    EXPECT_EQ(in.status, 200);
    EXPECT_TRUE(find(token_of(in)));
    EXPECT_EQ(sign_in("13800000000", "wrong horse").code(), "wrong_credentials");
}

TEST_F(AuthApiTest, SaysTheSameToAnUnknownPhoneAndAWrongPassword) {
    sign_up("13800000000");
    const answered wrong = sign_in("13800000000", "wrong horse");
    const answered unknown = sign_in("13900000000", "wrong horse");
    EXPECT_EQ(wrong.status, 401);
    EXPECT_EQ(wrong.body, unknown.body);
    EXPECT_EQ(wrong.headers, unknown.headers);
}

TEST_F(AuthApiTest, LogsOutForGood) {
    const answered in = sign_up("13800000000");
    next_.login = guard::hash_of(token_of(in));
    EXPECT_EQ(post("/auth/logout").status, 204);
    EXPECT_FALSE(sessions_.find(next_.login, clock_.now()));
    int kept = 0;
    ASSERT_TRUE(
        book_.users().for_each_login(clock_.now(), [&](const auto&) { ++kept; }).has_value());
    EXPECT_EQ(kept, 0);
}

TEST_F(AuthApiTest, KnowsWhoIsAsking) {
    const answered in = sign_up("13800000000");
    as_buyer(in.body.at("user").at("id").as_int64());
    EXPECT_EQ(get("/me").body, in.body.at("user"));
    as_buyer(999);
    EXPECT_EQ(get("/me").status, 404);
}

TEST_F(AuthApiTest, LimitsGuessesOfOneAddressAtOnePhone) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(sign_in("13800000000").status, 401);
    const answered r = sign_in("138 0000 0000");
    EXPECT_EQ(r.status, 429);
    EXPECT_EQ(r.body.at("retry_after_ms").as_int64(), 10'000);
    EXPECT_EQ(r.headers, "Retry-After: 10\r\n");
    clock_.advance(milliseconds(10'000));
    EXPECT_EQ(sign_in("13800000000").status, 401);
}

TEST_F(AuthApiTest, TellsTheTimeOfTheNextGuessInCoarseStepsOnly) {
    for (int i = 0; i < 3; ++i) sign_in("13800000000");
    clock_.advance(milliseconds(1234));
    EXPECT_EQ(sign_in("13800000000").body.at("retry_after_ms").as_int64(), 10'000);
}

// Regression H3: wrong passwords from anywhere kept the owner out.
TEST_F(AuthApiTest, LetsTheOwnerInWhileOthersGuess) {
    from("192.0.2.1");
    sign_up("13800000000");
    for (int i = 0; i < 20; ++i) {
        from(("198.51.100." + std::to_string(i + 1)).c_str());
        (void)sign_in("13800000000", "wrong horse");
    }
    from("198.51.100.99");
    EXPECT_EQ(sign_in("13800000000").status, 429) << "strangers failed too often";
    from("192.0.2.1");
    EXPECT_EQ(sign_in("13800000000").status, 200) << "but this address is known";
    clock_.advance(milliseconds(10'000));
    from("198.51.100.99");
    EXPECT_EQ(sign_in("13800000000").status, 200) << "and a new one waits for a moment only";
}

TEST_F(AuthApiTest, KnowsADeviceForThirtyDaysAfterItsLatestLogIn) {
    sign_up("13800000000");
    const auto known_until = [&] {
        const auto device = guard::device_of(1, guard::limiter_key(next_.client));
        return book_.users().device_known_until({1}, device).value();
    };
    constexpr std::chrono::hours days_30(30 * 24);
    const instant first = clock_.now() + days_30;
    EXPECT_EQ(known_until(), first);
    clock_.advance(std::chrono::hours(23));
    EXPECT_EQ(sign_in("13800000000").status, 200);
    EXPECT_EQ(known_until(), first) << "written once a day";
    clock_.advance(std::chrono::hours(2));
    EXPECT_EQ(sign_in("13800000000").status, 200);
    EXPECT_EQ(known_until(), clock_.now() + days_30);
}

// Regression M7: one account could log in without end, from many addresses.
TEST_F(AuthApiTest, LimitsLogInsOfOneAccountFromAllAddresses) {
    sign_up("13800000000");
    const auto log_in_from = [&](int n) {
        from(("198.51.100." + std::to_string(n)).c_str());
        return sign_in("13800000000");
    };
    for (int n = 1; n <= 20; ++n) EXPECT_EQ(log_in_from(n).status, 200) << n;
    const answered r = log_in_from(21);
    EXPECT_EQ(r.code(), "too_many_requests");
    EXPECT_EQ(r.body.at("retry_after_ms").as_int64(), 5'000);
    const auto told = events_.read_figures().limits;
    EXPECT_EQ(told[static_cast<std::size_t>(guard::limit::login_by_user)], 1U);
    clock_.advance(milliseconds(5'000));
    EXPECT_EQ(log_in_from(22).status, 200);
}

// Regression H3: registrations with somebody's phone number drained their log-ins.
TEST_F(AuthApiTest, RegistrationsCountApartFromLogIns) {
    sign_up("13800000000");
    for (int i = 1; i < 6; ++i) EXPECT_EQ(sign_up("13800000000").status, 409);
    EXPECT_EQ(sign_up("13800000000").status, 429);
    EXPECT_EQ(sign_up("13900000000").status, 429);
    EXPECT_EQ(sign_in("13800000000").status, 200);
}

TEST_F(AuthApiTest, LimitsAttemptsPerAddressWhateverThePhone) {
    for (int i = 0; i < 6; ++i) EXPECT_EQ(sign_in("1380000000" + std::to_string(i)).status, 401);
    EXPECT_EQ(sign_in("13800000009").status, 429);
    EXPECT_EQ(sign_up("13800000009").status, 201) << "registering has a limit of its own";
    next_.client_is_trusted_proxy = true;
    EXPECT_EQ(sign_in("13800000009").status, 200) << "a proxy's own address is not limited";
}

// Regression M7: log-ins of buyers waited behind those with made-up phone numbers.
TEST_F(AuthApiTest, HashesForKnownPhonesBeforeStrangers) {
    sign_up("13800000000");
    EXPECT_EQ(second_step_in_, pool::strangers);
    sign_in("13800000000");
    EXPECT_EQ(second_step_in_, pool::password);
    sign_in("13800000000", "wrong horse");
    EXPECT_EQ(second_step_in_, pool::password);
    sign_in("13900000000");
    EXPECT_EQ(second_step_in_, pool::strangers);
    sign_up("13800000000");
    EXPECT_EQ(second_step_in_, std::nullopt) << "a phone number that is taken costs no hash";
}

TEST_F(AuthApiTest, ALogInThatWasNeverJudgedDoesNotCount) {
    call c = next_;
    c.path = "/api/v1/auth/login";
    c.body = R"({"phone":"13800000000","password":"wrong horse"})";
    c.now = clock_.now();
    for (int i = 0; i < 5; ++i) {
        const first_answer left = begin_log_in(with_, c);  // the queue was full, say
        EXPECT_TRUE(std::holds_alternative<second_step>(left)) << i;
    }
}

TEST_F(AuthApiTest, NotesLogInsAndFailuresWithoutPhoneOrPassword) {
    sign_up("13800000000");
    sign_in("13800000000");
    sign_in("13800000000", "wrong horse");
    sign_in("13900000000", "wrong horse");
    as_buyer(1);
    next_.login = guard::hash_of(guard::new_token());
    post("/auth/logout");
    EXPECT_EQ(events_told_,
              (std::vector<std::string>{
                  "guard.registered user=1 from=192.0.2.1 route=/api/v1/auth/register",
                  "guard.login user=1 from=192.0.2.1 route=/api/v1/auth/login",
                  "guard.login_failed user=1 from=192.0.2.1 route=/api/v1/auth/login",
                  "guard.login_failed from=192.0.2.1 route=/api/v1/auth/login",
                  "guard.logout user=1 from=192.0.2.1 route=/api/v1/auth/logout"}));
}

TEST_F(AuthApiTest, NamesWhatIsWrongWithAnAccount) {
    EXPECT_EQ(sign_up("1234").detail(), "phone must have 5 digits or more");
    EXPECT_EQ(sign_up("138o0000000").detail(), "phone must be digits, after an optional +");
    EXPECT_EQ(sign_up("13800000000", "short").detail(), "password must have 8 characters or more");
    EXPECT_EQ(sign_up("13800000000", "密码密").detail(), "password must have 8 characters or more");
    EXPECT_EQ(sign_up("13800000000", "138 0000 0000").detail(),
              "password must not be the phone number");
    EXPECT_EQ(sign_up("13800000000", "Password1").detail(),
              "password must not be one of the commonest");
    EXPECT_EQ(sign_up("13800000000", std::string(129, 'x')).detail(),
              "password must have 1 to 128 bytes");
    const answered r = post(
        "/auth/register", R"({"phone":"13800000000","password":"x1y2z3w4","nickname":"a\u202eb"})");
    EXPECT_EQ(r.detail(), "nickname must not have hidden characters");
    EXPECT_EQ(
        post("/auth/login", R"({"phone":"13800000000","password":"x","role":"admin"})").status,
        400);
    EXPECT_EQ(post("/auth/login", "").detail(), "phone is missing");
}

// Regression L3: a tab was refused.
TEST_F(AuthApiTest, TakesAnyCharactersInAPassword) {
    int n = 0;
    for (const char* password :
         {"tab\\there too", "line\\nbreak", "\\u0000nul 123", "\\u200b\\u200bx1y2z3w4"}) {
        const std::string phone = "1380000000" + std::to_string(n++);
        EXPECT_EQ(sign_up(phone, password).status, 201) << password;
        EXPECT_EQ(sign_in(phone, password).status, 200) << password;
    }
    sign_up("13900000000", "null\\u0000one 1");
    EXPECT_EQ(sign_in("13900000000", "null\\u0000two 2").status, 401) << "all of it counts";
}

TEST_F(AuthApiTest, WhileTheLedgerIsKnownToFailLogInsAreRefusedAtOnce) {
    ASSERT_EQ(sign_up("13800000000").status, 201);
    break_ledger();
    EXPECT_EQ(sign_in("13800000000").code(), "busy");

    int asked = 0;
    how_->before = [&] { ++asked; };  // the ledger works again, but this is not known yet
    for (int i = 0; i < 20; ++i) {
        const answered in = sign_in("13800000000");
        EXPECT_EQ(in.code(), "busy") << "and not too_many_requests: it does not count";
        EXPECT_EQ(in.body.at("retry_after_ms").as_int64(), retry_after_failure_ms);
        EXPECT_EQ(sign_up("1380000000" + std::to_string(i)).code(), "busy");
    }
    EXPECT_EQ(asked, 0) << "the user's password is not even read";
    clock_.advance(milliseconds(1000));
    EXPECT_EQ(sign_in("13800000000").status, 200);
    EXPECT_GT(asked, 0);
    EXPECT_EQ(sign_up("13800000001").status, 201);
}

TEST_F(AuthApiTest, MakesANewHashWhenTheCostWasRaised) {
    const guard::passwords dearer({2, 16384});
    sale::user u;
    u.phone = "13800000000";
    u.nickname = "Ming";
    u.password_hash = dearer.hash("correct horse");
    u.created_at = clock_.now();
    ASSERT_TRUE(book_.users().add(u).has_value());
    EXPECT_EQ(sign_in("13800000000").status, 200);
    const std::string now = book_.users().find("13800000000")->password_hash;
    EXPECT_NE(now, u.password_hash);
    EXPECT_TRUE(passwords_.verify(now, "correct horse"));
}

TEST(NormalisedPhone, IsOneHoweverItIsTyped) {
    EXPECT_EQ(normalised_phone("138 0000-0000"), "13800000000");
    EXPECT_EQ(normalised_phone("+86 13800000000"), "13800000000");
    EXPECT_EQ(normalised_phone("+1 415 555 0123"), "+14155550123");
    EXPECT_EQ(normalised_phone("+86 10 1234 5678"), "+861012345678") << "a landline";
}

}  // namespace
}  // namespace floodgate::api
