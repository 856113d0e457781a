#include "pay/form.hpp"

#include <gtest/gtest.h>

namespace floodgate::pay {
namespace {

form_verdict verdict_on(std::string_view text, form_limits limits = {}) {
    const decoded_form form = decode_form(text, limits);
    EXPECT_TRUE(form.verdict == form_verdict::good || form.fields.empty()) << text;
    return form.verdict;
}

TEST(Form, IsDecodedOnce) {
    const decoded_form form =
        decode_form("subject=100%25+%E7%B2%BE%E9%80%89&passback_params=a%253D1&a=%2B%26%3D");
    ASSERT_EQ(form.verdict, form_verdict::good);
    EXPECT_EQ(form.fields,
              (parameters{{"subject", "100% 精选"}, {"passback_params", "a%3D1"}, {"a", "+&="}}));
}

TEST(Form, LeavesQuotesAndMarkupAlone) {
    const auto form =
        decode_form("fund_bill_list=%5B%7B%22amount%22%3A%220.01%22%7D%5D&b=%26quot%3B");
    EXPECT_EQ(form.fields.at("fund_bill_list"), R"([{"amount":"0.01"}])");
    EXPECT_EQ(form.fields.at("b"), "&quot;");
}

TEST(Form, KnowsFieldsWithoutAValue) {
    EXPECT_EQ(decode_form("a=&b&c=1").fields, (parameters{{"a", ""}, {"b", ""}, {"c", "1"}}));
    EXPECT_EQ(decode_form("a=b=c").fields, (parameters{{"a", "b=c"}}));
    EXPECT_EQ(decode_form("&&a=1&&&b=2&").fields, (parameters{{"a", "1"}, {"b", "2"}}));
    EXPECT_EQ(verdict_on(""), form_verdict::good);
    EXPECT_EQ(decode_form("a=%00").fields.at("a"), std::string(1, '\0'));
}

TEST(Form, RefusesAnEscapeWithoutTwoDigits) {
    for (const char* text :
         {"a=%", "a=%2", "a=%g0", "a=%0g", "%=1", "a=1&b=%", "a=% 1", "a=%+1", "a=%-1", "a=%%41"})
        EXPECT_EQ(verdict_on(text), form_verdict::bad_escape) << text;
}

TEST(Form, RefusesARepeatedName) {
    EXPECT_EQ(verdict_on("a=1&a=1"), form_verdict::repeated_name);
    EXPECT_EQ(verdict_on("a=1&b=2&%61=3"), form_verdict::repeated_name) << "the same when decoded";
    EXPECT_EQ(verdict_on("a=1&a"), form_verdict::repeated_name);
    EXPECT_EQ(verdict_on("a=1&A=1"), form_verdict::good);
}

TEST(Form, RefusesAFieldWithoutAName) {
    EXPECT_EQ(verdict_on("=1"), form_verdict::without_name);
    EXPECT_EQ(verdict_on("a=1&="), form_verdict::without_name);
}

TEST(Form, HasLimits) {
    EXPECT_EQ(verdict_on("a=12", {.bytes_max = 4}), form_verdict::good);
    EXPECT_EQ(verdict_on("a=123", {.bytes_max = 4}), form_verdict::too_long);
    EXPECT_EQ(verdict_on("a=1&b=2&&&", {.fields_max = 2}), form_verdict::good);
    EXPECT_EQ(verdict_on("a=1&b=2&c=3", {.fields_max = 2}), form_verdict::too_many);
    std::string many = "a0=";
    for (std::size_t i = 1; i < form_limits().fields_max; ++i)
        many += "&a" + std::to_string(i) + "=";
    EXPECT_EQ(verdict_on(many), form_verdict::good);
    EXPECT_EQ(verdict_on(many + "&b="), form_verdict::too_many);
    EXPECT_EQ(verdict_on("a=" + std::string(form_limits().bytes_max - 2, 'x')), form_verdict::good);
    EXPECT_EQ(verdict_on("a=" + std::string(form_limits().bytes_max - 1, 'x')),
              form_verdict::too_long);
}

TEST(Form, ComesBackAsItWent) {
    std::string every;
    for (int c = 0; c < 256; ++c) every.push_back(static_cast<char>(c));
    const parameters sent{{"a", every}, {every, "b"}, {"empty", ""}};
    EXPECT_EQ(decode_form(encode_form(sent)).fields, sent);
}

TEST(Form, EncodesAllThatAnAddressCouldMisread) {
    EXPECT_EQ(encode_form({{"b", "1 +&=%/?#\"<>'"}, {"a", "精-._~"}}),
              "a=%E7%B2%BE-._~&b=1%20%2B%26%3D%25%2F%3F%23%22%3C%3E%27");
    EXPECT_EQ(encode_form({}), "");
}

TEST(Form, OfQueryAndBodyMayNotShareAName) {
    parameters all{{"charset", "utf-8"}};
    EXPECT_TRUE(add_fields(all, {{"biz_content", "{}"}}));
    EXPECT_EQ(all, (parameters{{"biz_content", "{}"}, {"charset", "utf-8"}}));
    EXPECT_FALSE(add_fields(all, {{"charset", "utf-8"}}));
}

TEST(Form, EveryVerdictHasItsWord) {
    EXPECT_STREQ(to_text(form_verdict::good), "good");
    EXPECT_STREQ(to_text(form_verdict::too_long), "too_long");
    EXPECT_STREQ(to_text(form_verdict::too_many), "too_many");
    EXPECT_STREQ(to_text(form_verdict::bad_escape), "bad_escape");
    EXPECT_STREQ(to_text(form_verdict::without_name), "without_name");
    EXPECT_STREQ(to_text(form_verdict::repeated_name), "repeated_name");
}

}  // namespace
}  // namespace floodgate::pay
