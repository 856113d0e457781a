#include "api/openapi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "api/openapi_contract.hpp"
#include "api/routes.hpp"

namespace floodgate::api {
namespace {

namespace json = boost::json;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

TEST(OpenApi, DescribesEveryRouteAndNothingElse) {
    std::set<std::string> in_table, described;
    for (const route& r : routes())
        in_table.insert(lower(to_text(r.verb)) + " " + std::string(r.path));
    for (const auto& path : openapi_document().at("paths").as_object())
        for (const auto& operation : path.value().as_object())
            described.insert(std::string(operation.key()) + " " + std::string(path.key()));
    EXPECT_EQ(in_table, described);
}

TEST(OpenApi, SaysWhoMayCall) {
    for (const route& r : routes()) {
        const json::object& operation =
            openapi_document().at("paths").at(r.path).at(lower(to_text(r.verb))).as_object();
        const bool open = operation.at("security").as_array().empty();
        EXPECT_EQ(open, r.needs == access::open) << r.path;
        // These two check a password and a signature, not a log-in.
        const bool checks_others = r.path == "/api/v1/auth/login" ||
                                   r.path == "/api/v1/auth/reset" ||
                                   r.path == "/api/v1/payments/external/paid";
        EXPECT_EQ(operation.at("responses").as_object().contains("401") && !checks_others, !open)
            << r.path;
        if (is_for_staff(r.needs) || is_for_machines(r.needs)) {
            EXPECT_TRUE(operation.at("responses").as_object().contains("403")) << r.path;
        }
    }
}

// tests/e2e/roles_test.py reads it: a call that is not described as it is cannot be forgotten
// there.
TEST(OpenApi, SaysWhichPermissionACallNeeds) {
    for (const route& r : routes()) {
        const json::object& operation =
            openapi_document().at("paths").at(r.path).at(lower(to_text(r.verb))).as_object();
        const auto* needs = operation.if_contains("x-floodgate-needs");
        ASSERT_TRUE(needs) << r.path << ": add \"x-floodgate-needs\"";
        EXPECT_EQ(needs->as_string(), to_word(r.needs)) << r.path;
    }
}

TEST(OpenApi, KnowsEveryProblemAndItsStatus) {
    std::set<std::string> ours, described;
    for (int i = 1; i <= problems; ++i) ours.insert(code_of(static_cast<problem>(i)));
    const auto& schema = openapi_document().at("components").at("schemas").at("Problem");
    for (const auto& word : schema.at("properties").at("code").at("enum").as_array())
        described.emplace(word.as_string());
    EXPECT_EQ(ours, described);
}

TEST(OpenApi, GivesExamplesThatAreTrue) {
    for (const auto& response : openapi_document().at("components").at("responses").as_object()) {
        const auto& content = response.value().at("content").at("application/problem+json");
        const auto* examples = content.as_object().if_contains("examples");
        if (!examples) continue;
        for (const auto& example : examples->as_object()) {
            const auto& value = example.value().at("value");
            EXPECT_EQ(schema_fault(value, content.at("schema").as_object()), "");
            for (int i = 1; i <= problems; ++i) {
                const auto p = static_cast<problem>(i);
                if (value.at("code").as_string() != code_of(p)) continue;
                EXPECT_EQ(value.at("status").as_int64(), status_of(p)) << code_of(p);
                EXPECT_EQ(value.at("title").as_string(), title_of(p, language::en));
            }
        }
    }
}

// The check must be able to fail; otherwise the tests that rely on it would prove nothing.
TEST(OpenApi, NoticesAnAnswerThatIsNotDescribed) {
    const auto breach = [](reply r) { return breach_of_contract("GET", "/api/v1/me", r); };
    const std::string rest = R"(,"permissions":[],"must_change_password":false})";
    const std::string fine = R"({"id":1,"phone":"1","nickname":"a","role":"buyer")" + rest;
    EXPECT_EQ(breach({.body = fine}), "");
    EXPECT_EQ(breach({.status = 201, .body = fine}), "status 201 is not described");
    EXPECT_EQ(breach({.content_type = "text/html", .body = fine}),
              "content type text/html is not described");
    EXPECT_EQ(breach({.body = R"({"id":1,"phone":"1","nickname":"a")" + rest}),
              "\"role\" is missing");
    EXPECT_EQ(breach({.body = R"({"id":1,"phone":"1","nickname":"a","role":"king")" + rest}),
              "role: not among the words: \"king\"");
    EXPECT_EQ(breach({.body = R"({"id":0,"phone":"1","nickname":"a","role":"buyer")" + rest}),
              "id: 0 is too small");
    EXPECT_EQ(breach({.body = R"({"id":"1","phone":"1","nickname":"a","role":"buyer")" + rest}),
              "id: wrong type: \"1\"");
    EXPECT_EQ(
        breach({.body = R"({"id":1,"phone":"1","nickname":"a","role":"buyer","hash":"x")" + rest}),
        "unknown member hash");
    EXPECT_EQ(breach(problem_reply(problem::sold_out, language::en)),
              "status 409 is not described");
    EXPECT_EQ(breach(problem_reply(problem::wrong_credentials, language::en)),
              "code: not among the words: \"wrong_credentials\"");
}

}  // namespace
}  // namespace floodgate::api
