#include "api/reply.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include <set>

namespace floodgate::api {
namespace {

TEST(Problem, HasStatusCodeAndTitlesForEveryValue) {
    std::set<std::string> codes;
    for (int i = 1; i <= problems; ++i) {
        const auto p = static_cast<problem>(i);
        EXPECT_TRUE(codes.insert(code_of(p)).second) << code_of(p) << " stands there twice";
        EXPECT_GE(status_of(p), 400);
        EXPECT_STRNE(reason_phrase(status_of(p)), "Unknown") << status_of(p);
        EXPECT_STRNE(title_of(p, language::en), "");
        EXPECT_STRNE(title_of(p, language::en), title_of(p, language::zh));
    }
    EXPECT_EQ(static_cast<int>(problem::undecided), problems) << "undecided is the last";
}

TEST(Problem, IsWrittenAsProblemJson) {
    const reply r = problem_reply(problem::sold_out, language::zh);
    EXPECT_EQ(r.status, 409);
    EXPECT_EQ(r.content_type, "application/problem+json");
    EXPECT_EQ(r.body, R"({"type":"about:blank","title":"已售罄","status":409,"code":"sold_out"})");
    EXPECT_EQ(r.headers, "");
}

TEST(Problem, TellsTheWaitInSecondsRoundedUp) {
    const auto wait = [](int ms) {
        return problem_reply(problem::busy, language::en, {{"retry_after_ms", ms}}).headers;
    };
    EXPECT_EQ(wait(1), "Retry-After: 1\r\n");
    EXPECT_EQ(wait(1000), "Retry-After: 1\r\n");
    EXPECT_EQ(wait(1001), "Retry-After: 2\r\n");
    EXPECT_EQ(wait(0), "Retry-After: 1\r\n");
}

TEST(Problem, NamesTheSchemeOfA401) {
    EXPECT_EQ(problem_reply(problem::unauthenticated, language::en).headers,
              "WWW-Authenticate: Bearer\r\n");
}

TEST(Reply, IsJsonWithItsStatus) {
    const reply r = json_reply(201, {{"id", 7}});
    EXPECT_EQ(r.status, 201);
    EXPECT_EQ(r.content_type, "application/json");
    EXPECT_EQ(r.body, R"({"id":7})");
}

}  // namespace
}  // namespace floodgate::api
