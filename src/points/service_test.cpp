// Requests that the service must refuse, and how. What it does when they are good is the contract's
// business, over HTTP, in commands_test.

#include "points/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "points/accounts_fixture.hpp"
#include "points/scripted_accounts.hpp"
#include "points/wire.hpp"

namespace floodgate::points {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const std::string secret = "0123456789abcdefghijklmnopqrstuv";
const std::string bearer = "Bearer " + secret;

class PointsServiceTest : public testing::Test {
protected:
    service_response ask(std::string_view path, std::string_view body) const {
        return service_.answer({"POST", path, bearer, body});
    }
    service_response with_authorization(std::string_view value) const {
        return service_.answer({"POST", path::balance_of, value, R"({"user":7})"});
    }
    void expect_invalid(std::string_view path, const std::string& body,
                        std::string_view detail) const {
        const service_response r = ask(path, body);
        EXPECT_EQ(r.status, 400U) << body;
        EXPECT_THAT(r.body, HasSubstr(R"("error":"invalid")")) << body;
        EXPECT_THAT(r.body, HasSubstr(std::string(detail))) << body;
    }

    store::scratch_directory directory_;
    std::unique_ptr<store::database> db_ = store::test_databases().front().open(directory_);
    account_book book_{*db_};
    scripted_accounts port_{book_};
    service service_{port_, secret};
};

TEST_F(PointsServiceTest, AnswersWhoeverHasTheSecret) {
    const service_response r = with_authorization(bearer);
    EXPECT_EQ(r.status, 200U);
    EXPECT_EQ(r.body, R"({"available":0,"reserved":0,"pending":0})");
}

TEST_F(PointsServiceTest, RefusesEverybodyElse) {
    const std::string longer = bearer + "w", shorter = bearer.substr(0, bearer.size() - 1);
    std::string other = bearer;
    other.back() = 'w';
    for (const std::string& value : {std::string(), secret, "Basic " + secret, "bearer " + secret,
                                     std::string("Bearer "), longer, shorter, other}) {
        const service_response r = with_authorization(value);
        EXPECT_EQ(r.status, 401U) << value;
        EXPECT_EQ(r.body, R"({"error":"unauthorized"})");
        EXPECT_THAT(r.headers, ElementsAre(Pair("WWW-Authenticate", "Bearer")));
    }
}

TEST_F(PointsServiceTest, TellsAStrangerNotWhichPathsThereAre) {
    EXPECT_EQ(service_.answer({"GET", "/v1/nothing", "", ""}).status, 401U);
    EXPECT_EQ(service_.answer({"GET", path::grant, "", ""}).status, 401U);
}

TEST_F(PointsServiceTest, KnowsItsPathsAndTakesOnlyPost) {
    for (const std::string_view path : {"/", "/v1", "/v1/", "/v1/Grant", "/v1/grant/", "/v2/grant"})
        EXPECT_EQ(ask(path, "{}").body, R"({"error":"no_such_path"})") << path;
    for (const std::string_view verb : {"GET", "PUT", "DELETE", "post"}) {
        const service_response r = service_.answer({verb, path::grant, bearer, "{}"});
        EXPECT_EQ(r.status, 405U) << verb;
        EXPECT_EQ(r.body, R"({"error":"wrong_method"})");
        EXPECT_THAT(r.headers, ElementsAre(Pair("Allow", "POST")));
    }
}

TEST_F(PointsServiceTest, WantsOneJsonObject) {
    for (const std::string_view body :
         {"", "{", "[]", "7", "null", "{} {}", "user=7", "{\"user\":7,}", "{\"user\":\"\xff\"}",
          R"({"user":[[[[[7]]]]]})"})
        expect_invalid(path::balance_of, std::string(body), "the body must be one JSON object");
}

TEST_F(PointsServiceTest, WantsEveryFieldInItsTypeAndNoOther) {
    expect_invalid(path::balance_of, "{}", "user must be a whole number");
    for (const std::string value : {"null", "\"7\"", "7.5", "7e0", "true", "{}", "[7]",
                                    "9223372036854775808", "-9223372036854775809"})
        expect_invalid(path::balance_of, "{\"user\":" + value + "}", "user must be a whole number");
    expect_invalid(path::balance_of, R"({"user":7,"more":1})", "more is unknown here");
    expect_invalid(path::state_of, R"({"order_no":7,"kind":"spend"})", "order_no must be text");
    for (const std::string no : {"", "0", "-1", "01", "1.0", "x", "9223372036854775808"})
        expect_invalid(path::state_of, R"({"order_no":")" + no + R"(","kind":"spend"})",
                       "order_no must be an order's number");
    for (const std::string word : {"", "Spend", "both"})
        expect_invalid(path::state_of, R"({"order_no":"1","kind":")" + word + R"("})",
                       "kind must be spend or earn");
    expect_invalid(path::history, R"({"user":7,"before":0})", "limit must be a whole number");
}

TEST_F(PointsServiceTest, RefusesAmountsThatMakeNoSense) {
    for (const std::string amount : {"0", "-1", "1000000000001", "-9223372036854775808"}) {
        for (const std::string_view path : {path::try_spend, path::try_earn})
            expect_invalid(path, R"({"order_no":"1","user":7,"now_ms":1,"amount":)" + amount + "}",
                           "");
        expect_invalid(
            path::give_back,
            R"({"order_no":"1","user":7,"now_ms":1,"request":"r","amount":)" + amount + "}", "");
    }
    EXPECT_THAT(book_.history({7}, 0, 10).value(), IsEmpty());
}

TEST_F(PointsServiceTest, TakesPagesOfAnySize) {
    for (const std::string size : {"-1", "0", "9223372036854775807"}) {
        EXPECT_EQ(ask(path::history, R"({"user":7,"before":0,"limit":)" + size + "}").body,
                  R"({"lines":[]})");
        EXPECT_EQ(
            ask(path::open_tries, R"({"kind":"earn","older_than_ms":1,"max":)" + size + "}").body,
            R"({"tries":[]})");
    }
}

TEST_F(PointsServiceTest, TellsTheErrorsOfTheAccountsByTheirWords) {
    const std::string order = R"({"order_no":"1","kind":"spend","now_ms":1})";
    EXPECT_EQ(ask(path::confirm, order).status, 404U);
    EXPECT_EQ(ask(path::confirm, order).body, R"({"error":"not_found"})");
    EXPECT_EQ(ask(path::cancel, order).body, R"({"done":true})");
    EXPECT_EQ(ask(path::confirm, order).status, 409U);
    EXPECT_EQ(ask(path::confirm, order).body, R"({"error":"conflict"})");
    port_.before = [] { return true; };
    EXPECT_EQ(ask(path::confirm, order).status, 503U);
    EXPECT_EQ(ask(path::confirm, order).body, R"({"error":"store_unavailable"})");
}

TEST(PointsWire, HasAWordForEveryError) {
    for (auto e = errc::not_found; e <= errc::fenced;
         e = static_cast<errc>(static_cast<int>(e) + 1)) {
        const error_form& form = form_of(make_error_code(e));
        EXPECT_EQ(form.code, e);
        EXPECT_EQ(find_error(form.word), &form);
        EXPECT_GE(form.status, 400U);
    }
    EXPECT_EQ(find_error("unauthorized"), nullptr);
    EXPECT_EQ(find_error(""), nullptr);
}

}  // namespace
}  // namespace floodgate::points
