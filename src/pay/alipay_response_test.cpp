#include "pay/alipay_response.hpp"

#include <gtest/gtest.h>

#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

constexpr const char* query = "alipay.trade.query";

std::string node_of(std::string_view body) {
    return std::string(split_alipay_response(body, query).node);
}

// The vector of testdata, put into a response by hand.
std::string answered(const std::string& node, const std::string& sign) {
    return R"({"alipay_trade_query_response":)" + node + R"(,"sign":")" + sign + "\"}";
}
std::string answered() {
    return answered(test_data("alipay_response.text"), test_data("alipay_response.sign"));
}

authenticity judged_response(std::string_view body, const std::string& key = "platform") {
    return verify_alipay_response(body, query, test_public_key(key)).how;
}

TEST(AlipayResponse, IsNamedAfterItsMethod) {
    EXPECT_EQ(alipay_response_key("alipay.trade.fastpay.refund.query"),
              "alipay_trade_fastpay_refund_query_response");
}

TEST(AlipayResponse, IsVerifiedAsOpensslSignedIt) {
    const std::string body = answered();
    const alipay_response response =
        verify_alipay_response(body, query, test_public_key("platform"));
    EXPECT_EQ(response.how, authenticity::genuine);
    EXPECT_EQ(response.node, test_data("alipay_response.text"));
    EXPECT_FALSE(response.is_error);
    EXPECT_EQ(sign_alipay_response(query, test_data("alipay_response.text"),
                                   test_private_key("platform")),
              body);
}

TEST(AlipayResponse, IsCutOutRawWithBracesAndQuotesInStrings) {
    for (const char* node :
         {R"({})", R"({"a":1})", R"({"a":"}"})", R"({"a":"{"})", R"({"a":"\""})", R"({"a":"\\"})",
          R"({"a":"\\\"}{"})", R"({"a":{"b":[{},{"c":"]"}]}})", R"({ "a" : 1 , "b":[ ] })",
          "{\n\t\"a\":1\r\n}", R"({"sign":"inner","alipay_trade_query_response":{}})"}) {
        const std::string name = R"({"alipay_trade_query_response":)";
        EXPECT_EQ(node_of(name + node + "}"), node);
        EXPECT_EQ(node_of(name + node + R"(,"sign":"x"})"), node);
        EXPECT_EQ(node_of(R"({"sign":"x","alipay_trade_query_response" : )" + std::string(node) +
                          "\n}\n"),
                  node);
        EXPECT_EQ(node_of(R"({"alipay_cert_sn":"a{\"","n":null,"t":-1.5e3,"l":[1,"]"],)" +
                          name.substr(1) + node + "}"),
                  node);
    }
}

TEST(AlipayResponse, MayBeAnErrorOfTheGateway) {
    const auto parts = split_alipay_response(R"({"error_response":{"code":"40002"}})", query);
    EXPECT_EQ(parts.node, R"({"code":"40002"})");
    EXPECT_TRUE(parts.is_error);
    EXPECT_EQ(parts.sign, "");
    const auto both = split_alipay_response(
        R"({"error_response":{"code":"4"},"alipay_trade_query_response":{"code":"1"}})", query);
    EXPECT_EQ(both.node, R"({"code":"1"})");
    EXPECT_FALSE(both.is_error);
}

TEST(AlipayResponse, IsRefusedWhenANameIsRepeated) {
    const std::string one = R"("alipay_trade_query_response":{"code":"10000"})";
    EXPECT_EQ(node_of("{" + one + "}"), R"({"code":"10000"})");
    EXPECT_EQ(node_of("{" + one + "," + one + "}"), "");
    EXPECT_EQ(node_of("{" + one + R"(,"sign":"a","sign":"b"})"), "");
    EXPECT_EQ(node_of("{" + one + R"(,"x":1,"x":2})"), "");
    EXPECT_EQ(node_of("{" + one + R"(,"alipay_trade_query_respons\u0065":{}})"), "")
        << "the same name with an escape";
    EXPECT_EQ(judged_response("{" + one + "," + answered().substr(1)), authenticity::malformed);
}

TEST(AlipayResponse, IsRefusedWhenItIsNotOneObject) {
    const std::string good = R"({"alipay_trade_query_response":{"a":"b"},"sign":"x"})";
    for (std::size_t size = 0; size < good.size(); ++size)
        EXPECT_EQ(node_of(good.substr(0, size)), "") << "cut off after " << size;
    for (const std::string& bad : {good + good,
                                   good + "x",
                                   "x" + good,
                                   "[" + good + "]",
                                   "{" + good + "}",
                                   std::string("null"),
                                   std::string("{}"),
                                   std::string("{"),
                                   std::string(R"({"other":{}})"),
                                   std::string(R"({"alipay_trade_query_response":"{}"})"),
                                   std::string(R"({"alipay_trade_query_response":[]})"),
                                   std::string(R"({"alipay_trade_query_response":null})"),
                                   std::string(R"({"alipay_trade_query_response":{]})"),
                                   std::string(R"({"alipay_trade_query_response":{]}})"),
                                   std::string(R"({"alipay_trade_query_response":{}]})"),
                                   std::string(R"({"alipay_trade_query_response"{}})"),
                                   std::string(R"({"alipay_trade_query_response":{},})"),
                                   std::string(R"({,"alipay_trade_query_response":{}})"),
                                   std::string(R"({alipay_trade_query_response:{}})"),
                                   std::string(R"({"alipay_trade_query_response":{},"sign":1})"),
                                   std::string(R"({"alipay_trade_query_response":{},"sign":null})"),
                                   std::string(R"({"alipay_trade_query_response":{},"sign":"\x"})"),
                                   std::string(R"({"alipay_trade_query_response":{},"sign":})"),
                                   std::string(R"({"alipay_trade_query_response":{} "sign":"x"})")})
        EXPECT_EQ(node_of(bad), "") << bad;
}

TEST(AlipayResponse, HasLimits) {
    const auto padded = [](std::size_t size) {
        const std::string start = R"({"alipay_trade_query_response":{}})";
        return start + std::string(size - start.size(), ' ');
    };
    EXPECT_EQ(node_of(padded(alipay_response_bytes_max)), "{}");
    EXPECT_EQ(node_of(padded(alipay_response_bytes_max + 1)), "");
    std::string members = R"({"alipay_trade_query_response":{})";
    for (int i = 1; i < 16; ++i) members += ",\"" + std::to_string(i) + "\":0";
    EXPECT_EQ(node_of(members + "}"), "{}");
    EXPECT_EQ(node_of(members + ",\"16\":0}"), "");
    EXPECT_EQ(node_of(R"({"alipay_trade_query_response":)" + std::string(100'000, '{')), "");
}

TEST(AlipayResponse, IsRefusedWhenAnythingIsDifferent) {
    const std::string node = test_data("alipay_response.text");
    const std::string sign = test_data("alipay_response.sign");
    for (std::size_t i = 1; i + 1 < node.size(); i += 3) {
        std::string altered = node;
        if (altered[i] == '"' || altered[i] == '\\' || altered[i + 1] == '"') continue;
        altered[i] = altered[i] == '1' ? '2' : '1';
        EXPECT_NE(judged_response(answered(altered, sign)), authenticity::genuine) << altered;
    }
    std::string spaced = node;
    spaced.insert(1, " ");
    EXPECT_EQ(judged_response(answered(spaced, sign)), authenticity::bad_signature);
    std::string flipped = sign;
    flipped[20] = flipped[20] == 'A' ? 'B' : 'A';
    EXPECT_EQ(judged_response(answered(node, flipped)), authenticity::bad_signature);
    EXPECT_EQ(judged_response(answered(node, "x")), authenticity::bad_signature);
    EXPECT_EQ(judged_response(answered(), "other"), authenticity::bad_signature);
    EXPECT_EQ(
        verify_alipay_response(answered(), "alipay.trade.close", test_public_key("platform")).how,
        authenticity::malformed)
        << "an answer to another method";
}

TEST(AlipayResponse, WithoutASignatureIsShownButNotGenuine) {
    const std::string node = R"({"code":"40002","sub_code":"isv.invalid-app-id"})";
    const std::string body = R"({"alipay_trade_query_response":)" + node + "}";
    const alipay_response response =
        verify_alipay_response(body, query, test_public_key("platform"));
    EXPECT_EQ(response.how, authenticity::without_signature);
    EXPECT_EQ(response.node, node);
    EXPECT_EQ(judged_response(answered(node, "")), authenticity::without_signature);
}

TEST(AlipayResponse, MaySendSlashesEscaped) {
    const private_key platform = test_private_key("platform");
    const std::string sign = platform.sign_sha256(R"({"u":"https://a/b"})");
    std::string escaped_sign;
    for (const char c : sign) escaped_sign.append(c == '/' ? "\\/" : std::string(1, c));
    EXPECT_EQ(judged_response(answered(R"({"u":"https:\/\/a\/b"})", escaped_sign)),
              authenticity::genuine);
    EXPECT_EQ(judged_response(answered(R"({"u":"https://a/b"})", escaped_sign)),
              authenticity::genuine);
    EXPECT_EQ(judged_response(answered(R"({"u":"https:\\/\\/a\\/b"})", sign)),
              authenticity::bad_signature)
        << "an escaped backslash is another text";
    EXPECT_EQ(
        judged_response(answered(R"({"u":"a\\/b"})", platform.sign_sha256(R"({"u":"a\/b"})"))),
        authenticity::bad_signature)
        << "and does not become one backslash";
    const std::string as_sent = R"({"u":"https:\/\/a"})";
    EXPECT_EQ(judged_response(answered(as_sent, platform.sign_sha256(as_sent))),
              authenticity::genuine);
}

}  // namespace
}  // namespace floodgate::pay
