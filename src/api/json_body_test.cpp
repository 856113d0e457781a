#include "api/json_body.hpp"

#include <gtest/gtest.h>

#include "api/json_keys.hpp"

namespace floodgate::api {
namespace {

// Reads a body as if a product were expected, and gives the fault's sentence.
std::string fault_of(std::string_view text) {
    json_body body(text);
    body.text("title", {.min = 1, .max = 10});
    body.integer("price", {0, 100});
    body.optional_texts("pictures", {.count_max = 2, .each = {.min = 1, .max = 5}});
    body.optional_text("description", {.max = 20, .lines = true});
    body.optional_time("at");
    const auto fault = body.finish();
    return fault ? fault->detail : "";
}

TEST(JsonBody, ReadsABoolean) {
    json_body body(R"({"yes":true,"no":false,"odd":1})");
    EXPECT_EQ(body.optional_boolean("yes"), true);
    EXPECT_EQ(body.optional_boolean("no"), false);
    EXPECT_EQ(body.optional_boolean("absent"), std::nullopt);
    EXPECT_EQ(body.optional_boolean("odd"), std::nullopt);
    EXPECT_EQ(body.finish()->detail, "odd must be true or false");
}

TEST(JsonBody, GivesWhatStandsThere) {
    json_body body(R"({"title":"雪","price":7,"pictures":["a","b"],"at":"2026-01-02T03:04:05Z"})");
    EXPECT_EQ(body.text("title", {.min = 1, .max = 10}), "雪");
    EXPECT_EQ(body.integer("price", {0, 100}), 7);
    EXPECT_EQ(body.texts("pictures", {.count_max = 2, .each = {.min = 1, .max = 5}}),
              (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(to_iso(body.time("at")), "2026-01-02T03:04:05.000Z");
    EXPECT_EQ(body.optional_integer("limit", {1, 2}), std::nullopt);
    EXPECT_FALSE(body.finish());
}

TEST(JsonBody, TakesAnEmptyBodyForAnEmptyObject) {
    json_body body("");
    EXPECT_EQ(body.optional_integer("quantity", {1, 9}), std::nullopt);
    EXPECT_FALSE(body.finish());
    EXPECT_EQ(fault_of(" \n"), "title is missing");
}

TEST(JsonBody, NamesTheFieldAndWhatItMayBe) {
    EXPECT_EQ(fault_of(R"({"price":1})"), "title is missing");
    EXPECT_EQ(fault_of(R"({"title":1,"price":1})"), "title must be a text");
    EXPECT_EQ(fault_of(R"({"title":null,"price":1})"), "title must be a text");
    EXPECT_EQ(fault_of(R"({"title":"","price":1})"), "title must have 1 to 10 bytes");
    EXPECT_EQ(fault_of(R"({"title":"01234567890","price":1})"), "title must have 1 to 10 bytes");
    EXPECT_EQ(fault_of(R"({"title":"  ","price":1})"), "title must not be blank");
    EXPECT_EQ(fault_of(R"({"title":"a","price":1,"colour":"red"})"),
              "there is no field \"colour\"");
    EXPECT_EQ(fault_of(R"({"title":"a","price":1,"at":"tomorrow"})"),
              "at must be a time like 2026-11-15T10:00:00Z");
}

TEST(JsonBody, TakesWholeNumbersWithinBoundsOnly) {
    const std::string expected = "price must be a whole number from 0 to 100";
    for (const char* price : {"-1", "101", "1.5", "1.0", "1e1", "9223372036854775808",
                              "99999999999999999999999", "\"1\"", "true", "null", "[1]", "{}"}) {
        EXPECT_EQ(fault_of(R"({"title":"a","price":)" + std::string(price) + "}"), expected)
            << price;
    }
    EXPECT_EQ(fault_of(R"({"title":"a","price":100})"), "");
    EXPECT_EQ(fault_of(R"({"title":"a","price":-0})"), "");
}

TEST(JsonBody, LooksIntoLists) {
    const auto with = [](const std::string& list) {
        return fault_of(R"({"title":"a","price":1,"pictures":)" + list + "}");
    };
    EXPECT_EQ(with("[]"), "");
    EXPECT_EQ(with(R"(["a","b","c"])"), "pictures must be a list of at most 2 texts");
    EXPECT_EQ(with(R"("a")"), "pictures must be a list of at most 2 texts");
    EXPECT_EQ(with(R"(["a",1])"), "pictures must hold texts only");
    EXPECT_EQ(with(R"(["toolong"])"), "pictures must have 1 to 5 bytes");
}

TEST(JsonBody, RefusesControlCharactersButLinesWhereTheyBelong) {
    EXPECT_EQ(fault_of(R"({"title":"a\nb","price":1})"), "title must not have control characters");
    EXPECT_EQ(fault_of(R"({"title":"a\u0000","price":1})"),
              "title must not have control characters");
    EXPECT_EQ(fault_of(R"({"title":"a\u0085","price":1})"),
              "title must not have control characters");
    EXPECT_EQ(fault_of(R"({"title":"a\u007f","price":1})"),
              "title must not have control characters");
    EXPECT_EQ(fault_of(R"({"title":"\u00a9","price":1,"description":"a\n\tb"})"), "");
    EXPECT_EQ(fault_of(R"({"title":"a","price":1,"description":"a\r"})"),
              "description must not have control characters");
}

TEST(JsonBody, RefusesWhatIsNotAnObjectOfValidJson) {
    for (const std::string text :
         {"{", "{]", "nope", "{\"title\":\"a\",}", "{} {}", "{'a':1}", "{\"a\":01}", "{\"a\":NaN}",
          "{\"title\":\"\xff\"}", "{\"title\":\"\xc0\xaf\"}", "{\"title\":\"\\ud800\"}",
          "{\"title\":\"a\nb\"}"}) {
        EXPECT_TRUE(fault_of(text).starts_with("the body is not valid JSON: ")) << text;
    }
    EXPECT_EQ(fault_of("[]"), "the body must be a JSON object");
    EXPECT_EQ(fault_of("1"), "the body must be a JSON object");
}

TEST(JsonBody, RefusesDeepNestingWithoutFollowingIt) {
    const std::string deep = "{\"title\":" + std::string(100'000, '[');
    EXPECT_TRUE(fault_of(deep).starts_with("the body is not valid JSON: "));
}

TEST(JsonBody, RefusesAKeyThatStandsThereTwice) {
    EXPECT_EQ(fault_of(R"({"title":"a","price":1,"price":2})"),
              "the field \"price\" stands there twice");
    EXPECT_EQ(fault_of(R"({"title":"a","price":1,"pric\u0065":2})"),
              "the field \"price\" stands there twice");
    EXPECT_EQ(repeated_key(R"({"a":{"x":1},"b":{"x":2}})", 8), std::nullopt);
    EXPECT_EQ(repeated_key(R"([{"a":1},{"a":{"x":1,"x":2}}])", 8), "x");
}

TEST(JsonBody, DoesNotShowALongKeyBack) {
    const std::string key(1000, 'k');
    EXPECT_EQ(fault_of(R"({"title":"a","price":1,")" + key + "\":1}"),
              "there is no field with a long name");
    const auto field_of = [](const std::string& text) {
        return json_body("{\"" + text + "\":1}").finish()->field;
    };
    EXPECT_EQ(field_of(key), std::string(64, 'k'));
    EXPECT_EQ(field_of(std::string(64, 'k')), std::string(64, 'k'));
    EXPECT_EQ(field_of(std::string(63, 'k') + "雪雪"), std::string(63, 'k')) << "whole characters";
}

TEST(JsonBody, ShowsStrangersNothingHidden) {
    const auto fault = [](const std::string& text, text_rule rule) {
        json_body body("{\"it\":\"" + text + "\"}");
        body.text("it", rule);
        const auto found = body.finish();
        return found ? found->detail : "";
    };
    constexpr text_rule name{.min = 1, .max = 99, .name = true};
    EXPECT_EQ(fault("壶 1.7 L", name), "");
    EXPECT_EQ(fault("a\\u202eb", name), "it must not have hidden characters");
    EXPECT_EQ(fault("a\\u202eb", {.min = 1, .max = 99}), "");
    for (const char* unseen : {" ", "\\u3000", "\\u00a0", "\\u2003", "\\ufe0f"})
        EXPECT_EQ(fault(unseen, name), "it must not be blank") << unseen;
    constexpr text_rule secret{.min = 1, .max = 9, .secret = true};
    for (const char* any : {"a\\tb", "\\n", "        ", "\\u0000", "\\u200b"})
        EXPECT_EQ(fault(any, secret), "") << any;
    EXPECT_EQ(fault("", secret), "it must have 1 to 9 bytes");
    constexpr text_rule picture{.min = 1, .max = 99, .picture = true};
    EXPECT_EQ(fault("/a.jpg", picture), "");
    EXPECT_TRUE(fault("javascript:alert(1)", picture).starts_with("it must be addresses"));
}

TEST(JsonBody, BecomesAProblemThatNamesTheField) {
    const reply r = refuse({"price", "price is missing"}, language::en);
    EXPECT_EQ(r.status, 400);
    EXPECT_EQ(r.content_type, "application/problem+json");
    EXPECT_EQ(r.body, R"({"type":"about:blank","title":"The request is not valid","status":400,)"
                      R"("code":"bad_request","detail":"price is missing","field":"price"})");
}

}  // namespace
}  // namespace floodgate::api
