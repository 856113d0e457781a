// What the client makes of answers that a points service does not give. That it understands a real
// one is the contract's business, in commands_test.

#include "points/remote_accounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "points/accounts_fixture.hpp"
#include "points/wire.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::points {
namespace {

// Gives the same answer to everything.
class one_answer final : public store::http_caller {
public:
    store::http_answer ask(const store::http_question& q) override {
        asked.push_back(q);
        return {
            .status = status, .error = status == 0 ? "timeout" : "", .headers = {}, .body = body};
    }

    int status = 200;
    std::string body;
    std::vector<store::http_question> asked;
};

class RemoteAccountsTest : public testing::Test {
protected:
    void says(int status, std::string body) {
        by_.status = status;
        by_.body = std::move(body);
    }
    // What every kind of call makes of it.
    void expect_all(errc error) {
        account_verbs verbs(remote_);
        SCOPED_TRACE(by_.body);
        EXPECT_TRUE(is(verbs.spend(1, 7, 30), error));
        EXPECT_TRUE(is(verbs.earn(1, 7, 30), error));
        EXPECT_TRUE(is(verbs.confirm(1), error));
        EXPECT_TRUE(is(verbs.cancel(1), error));
        EXPECT_TRUE(is(verbs.give_back(1, 7, 30, "r"), error));
        EXPECT_TRUE(is(verbs.grant(7, 30, "g"), error));
        EXPECT_TRUE(is(remote_.state_of({1}, kind::spend), error));
        EXPECT_TRUE(is(remote_.balance_of({7}), error));
        EXPECT_TRUE(is(remote_.history({7}, 0, 1), error));
        EXPECT_TRUE(is(remote_.open_tries(kind::spend, noon, 1), error));
    }
    bool asks() {  // whether a call reaches the other side
        const std::size_t before = by_.asked.size();
        (void)remote_.balance_of({7}).has_value();
        return by_.asked.size() > before;
    }

    one_answer by_;
    manual_monotonic_clock clock_;
    remote_accounts remote_{{"http://points.test:8085/", "s3cret"}, by_, clock_};
};

TEST_F(RemoteAccountsTest, AsksWithTheSecret) {
    says(200, R"({"available":1,"reserved":2,"pending":3})");
    EXPECT_EQ(remote_.balance_of({7}).value(), (balance{{1}, {2}, {3}}));
    const store::http_question& q = by_.asked.at(0);
    EXPECT_EQ(q.verb, "POST");
    EXPECT_EQ(q.url, "http://points.test:8085/v1/balance_of");
    EXPECT_EQ(q.body, R"({"user":7})");
    EXPECT_THAT(q.headers, testing::Contains(testing::Pair("Authorization", "Bearer s3cret")));
}

TEST_F(RemoteAccountsTest, NoAnswerMeansThatTheOutcomeIsUnknown) {
    says(0, "");
    expect_all(errc::store_unavailable);
}

TEST_F(RemoteAccountsTest, AStrangersAnswerMeansThatTheOutcomeIsUnknown) {
    for (const int status : {200, 201, 204, 301, 400, 401, 404, 409, 500, 502, 503})
        for (const char* body :
             {"", "<html>", "{}", "[]", "null", R"({"error":7})", R"({"error":"unauthorized"})",
              R"({"done":false})", R"({"answer":"sold","state":7})", R"({"state":"lost"})",
              R"({"available":1,"reserved":2})", R"({"lines":{},"tries":[7]})",
              R"({"answer":"reserved"})"}) {
            says(status, body);
            expect_all(errc::store_unavailable);
        }
}

TEST_F(RemoteAccountsTest, AnErrorOfTheServiceArrivesAsItWas) {
    for (auto e = errc::not_found; e <= errc::fenced;
         e = static_cast<errc>(static_cast<int>(e) + 1)) {
        const error_form& form = form_of(make_error_code(e));
        says(static_cast<int>(form.status), R"({"error":")" + std::string(form.word) + R"("})");
        expect_all(e);
    }
}

TEST_F(RemoteAccountsTest, AWordWithAnotherStatusIsAStrangers) {
    says(404, R"({"error":"conflict"})");
    expect_all(errc::store_unavailable);
    says(500, R"({"error":"invalid"})");
    expect_all(errc::store_unavailable);
}

TEST_F(RemoteAccountsTest, ATextBeyondAllLimitsIsNotSent) {
    says(200, R"({"done":true})");
    account_verbs verbs(remote_);
    EXPECT_TRUE(is(verbs.grant(7, 1, std::string(request_bytes_max, 'k')), errc::invalid));
    EXPECT_TRUE(by_.asked.empty());
}

TEST_F(RemoteAccountsTest, AServiceThatIsSilentIsAskedOnceEveryHalfSecond) {
    says(0, "");
    EXPECT_TRUE(asks());
    EXPECT_FALSE(asks());
    clock_.advance(ask_again_after - milliseconds(1));
    EXPECT_FALSE(asks());
    EXPECT_TRUE(is(remote_.balance_of({7}), errc::store_unavailable));
    clock_.advance(milliseconds(1));
    EXPECT_TRUE(asks());
    EXPECT_FALSE(asks());
}

TEST_F(RemoteAccountsTest, AServiceThatAnswersAgainIsAskedAgain) {
    says(0, "");
    EXPECT_TRUE(asks());
    clock_.advance(ask_again_after);
    says(503, R"({"error":"store_unavailable"})");
    EXPECT_TRUE(asks());
    EXPECT_TRUE(asks()) << "it answers at once, so it may be asked at any time";
}

}  // namespace
}  // namespace floodgate::points
