#include "pay/alipay_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

// What testdata/alipay_request.text is the signed string of.
parameters page_pay() {
    return {
        {"version", "1.0"},
        {"app_id", "2021000000000001"},
        {"method", "alipay.trade.page.pay"},
        {"format", "JSON"},
        {"charset", "utf-8"},
        {"sign_type", "RSA2"},
        {"timestamp", "2026-11-15 18:00:00"},
        {"notify_url", "https://shop.example/api/v1/payments/alipay/notify"},
        {"biz_content",
         R"({"out_trade_no":"FG700000000000000001","product_code":"FAST_INSTANT_TRADE_PAY",)"
         R"("total_amount":"99.00","subject":"精选 100%","time_expire":"2026-11-15 18:15:00"})"}};
}

// What testdata/alipay_notify.text is the signed string of, as it is posted.
constexpr const char* posted_notify =
    "gmt_create=2026-11-15+18%3A01%3A00&charset=utf-8&gmt_payment=2026-11-15+18%3A01%3A05"
    "&notify_time=2026-11-15+18%3A01%3A06&subject=%E7%B2%BE%E9%80%89+100%25"
    "&buyer_id=2088000000000002&version=1.0&notify_id=2026111500222180105000000000000001"
    "&fund_bill_list=%5B%7B%22amount%22%3A%2299.00%22%2C%22fundChannel%22%3A%22ALIPAYACCOUNT%22%7D%"
    "5D"
    "&notify_type=trade_status_sync&out_trade_no=FG700000000000000001&total_amount=99.00"
    "&trade_status=TRADE_SUCCESS&trade_no=2026111522001400000000000001"
    "&auth_app_id=2021000000000001&app_id=2021000000000001&sign_type=RSA2"
    "&seller_id=2088000000000001&passback_params=a%253D1";

parameters notify() {
    parameters message = decode_form(posted_notify).fields;
    message["sign"] = test_data("alipay_notify.sign");
    return message;
}

authenticity judged(const parameters& message, const std::string& key = "platform") {
    return verify_alipay_message(message, test_public_key(key));
}
authenticity judged_request(const parameters& request, const std::string& key = "merchant") {
    return verify_alipay_request(request, test_public_key(key));
}

parameters changed(parameters all, const std::string& name, const std::string& value) {
    all[name] = value;
    return all;
}
parameters lacking(parameters all, const std::string& name) {
    EXPECT_EQ(all.erase(name), 1U) << name;
    return all;
}

TEST(AlipayRequest, IsSignedAsOpensslDoes) {
    parameters request = page_pay();
    EXPECT_EQ(alipay_request_text(request), test_data("alipay_request.text"));
    sign_alipay_request(request, test_private_key("merchant"));
    EXPECT_EQ(request.at("sign"), test_data("alipay_request.sign"));
    EXPECT_EQ(alipay_request_text(request), test_data("alipay_request.text")) << "without sign";
    EXPECT_EQ(judged_request(request), authenticity::genuine);
}

TEST(AlipayRequest, KeepsTheSignTypeAndLeavesOutEmptyValues) {
    EXPECT_EQ(alipay_request_text({{"b", "2"}, {"sign", "x"}, {"a", ""}, {"sign_type", "RSA2"}}),
              "b=2&sign_type=RSA2");
    EXPECT_EQ(alipay_message_text({{"b", "2"}, {"sign", "x"}, {"a", ""}, {"sign_type", "RSA2"}}),
              "b=2");
    EXPECT_EQ(alipay_request_text({}), "");
}

TEST(AlipayRequest, IsSortedByBytes) {
    EXPECT_EQ(alipay_request_text({{"a_b", "1"}, {"aB", "2"}, {"Z", "3"}, {"a", "4"}, {"ab", "5"}}),
              "Z=3&a=4&aB=2&a_b=1&ab=5");
}

TEST(AlipayRequest, IsSentWithoutEmptyValues) {
    parameters request = changed(page_pay(), "return_url", "");
    request["sign_type"] = "RSA";
    sign_alipay_request(request, test_private_key("merchant"));
    EXPECT_FALSE(request.contains("return_url"));
    EXPECT_EQ(request.at("sign"), test_data("alipay_request.sign"));
}

TEST(AlipayRequest, MayHaveParametersWeDoNotKnow) {
    parameters request = changed(page_pay(), "alipay_sdk", "alipay-sdk-nodejs-4.14.0");
    sign_alipay_request(request, test_private_key("merchant"));
    EXPECT_EQ(judged_request(request), authenticity::genuine);
    EXPECT_EQ(judged_request(lacking(request, "alipay_sdk")), authenticity::bad_signature);
    EXPECT_EQ(judged_request(changed(request, "nothing", "")), authenticity::genuine);
}

TEST(AlipayRequest, IsRefusedWhenAnythingIsDifferent) {
    parameters good = page_pay();
    sign_alipay_request(good, test_private_key("merchant"));
    for (const auto& [name, value] : good) {
        if (name == "sign" || name == "sign_type") continue;
        EXPECT_EQ(judged_request(changed(good, name, value + "x")), authenticity::bad_signature);
        EXPECT_EQ(judged_request(lacking(good, name)), authenticity::bad_signature);
    }
    EXPECT_EQ(judged_request(good, "other"), authenticity::bad_signature);
    EXPECT_EQ(judged_request(changed(good, "added", "1")), authenticity::bad_signature);
    EXPECT_EQ(judged_request(lacking(good, "sign")), authenticity::without_signature);
    EXPECT_EQ(judged_request(changed(good, "sign", "")), authenticity::without_signature);
    EXPECT_EQ(judged_request(changed(good, "sign_type", "RSA")), authenticity::wrong_algorithm);
    EXPECT_EQ(judged_request(lacking(good, "sign_type")), authenticity::wrong_algorithm);
}

TEST(AlipayRequest, SignedByTheRuleForNotifiesIsRefused) {
    parameters request = page_pay();
    sign_alipay_message(request, test_private_key("merchant"));
    EXPECT_EQ(judged_request(request), authenticity::bad_signature);
}

TEST(AlipayNotify, IsVerifiedAsOpensslSignedIt) {
    EXPECT_EQ(alipay_message_text(notify()), test_data("alipay_notify.text"));
    EXPECT_EQ(judged(notify()), authenticity::genuine);
    parameters again = lacking(lacking(notify(), "sign"), "sign_type");
    sign_alipay_message(again, test_private_key("platform"));
    EXPECT_EQ(again, notify());
}

TEST(AlipayNotify, IsRefusedWhenAnythingIsDifferent) {
    for (const auto& [name, value] : notify()) {
        if (name == "sign" || name == "sign_type") continue;
        EXPECT_EQ(judged(changed(notify(), name, value + "0")), authenticity::bad_signature)
            << name;
        EXPECT_EQ(judged(changed(notify(), name, "")), authenticity::bad_signature) << name;
        EXPECT_EQ(judged(lacking(notify(), name)), authenticity::bad_signature) << name;
    }
    EXPECT_EQ(judged(changed(notify(), "refund_fee", "99.00")), authenticity::bad_signature);
    EXPECT_EQ(judged(changed(notify(), "zzz", "added")), authenticity::bad_signature);
    EXPECT_EQ(judged(notify(), "other"), authenticity::bad_signature);
    EXPECT_EQ(judged(notify(), "merchant"), authenticity::bad_signature) << "our own public key";
}

TEST(AlipayNotify, IsRefusedWhenTheSignatureIsDifferent) {
    const std::string sign = notify().at("sign");
    std::string flipped = sign;
    flipped[10] = flipped[10] == 'A' ? 'B' : 'A';
    for (const std::string& bad :
         {flipped, sign.substr(4), sign + "AAAA", sign + "=", " " + sign, std::string("AAAA"),
          std::string("!"), test_data("alipay_request.sign")})
        EXPECT_EQ(judged(changed(notify(), "sign", bad)), authenticity::bad_signature) << bad;
    EXPECT_EQ(judged(changed(notify(), "sign", "")), authenticity::without_signature);
    EXPECT_EQ(judged(lacking(notify(), "sign")), authenticity::without_signature);
    EXPECT_EQ(judged({}), authenticity::without_signature);
}

TEST(AlipayNotify, IsPinnedToRsa2) {
    // A genuine SHA1 signature, under either name.
    parameters old = changed(notify(), "sign", test_data("alipay_notify_sha1.sign"));
    EXPECT_EQ(judged(old), authenticity::bad_signature);
    for (const char* type : {"RSA", "rsa2", "RSA2 ", "", "MD5"})
        EXPECT_EQ(judged(changed(old, "sign_type", type)), authenticity::wrong_algorithm) << type;
    EXPECT_EQ(judged(changed(notify(), "sign_type", "RSA")), authenticity::wrong_algorithm)
        << "the signature itself would be right: sign_type is not signed";
    EXPECT_EQ(judged(lacking(notify(), "sign_type")), authenticity::wrong_algorithm);
}

TEST(AlipayNotify, SignedByTheRuleForRequestsIsRefused) {
    parameters message = notify();
    sign_alipay_request(message, test_private_key("platform"));
    EXPECT_EQ(judged(message), authenticity::bad_signature);
}

TEST(AlipayNotify, MayHaveEmptyValues) {
    EXPECT_EQ(judged(changed(notify(), "body", "")), authenticity::genuine);
}

// "a=b=c" is signed for the name "a" as well as for the name "a=b".
TEST(AlipayNotify, CannotMoveTheBorderBetweenNameAndValue) {
    parameters message{{"a", "b=c"}, {"x", "1"}};
    sign_alipay_message(message, test_private_key("platform"));
    ASSERT_EQ(judged(message), authenticity::genuine);
    parameters moved = message;
    moved.erase("a");
    moved["a=b"] = "c";
    ASSERT_EQ(alipay_message_text(moved), alipay_message_text(message));
    EXPECT_EQ(judged(moved), authenticity::malformed);
    parameters merged = message;
    merged.erase("x");
    merged.erase("a");
    merged["a=b=c&x"] = "1";
    ASSERT_EQ(alipay_message_text(merged), alipay_message_text(message));
    EXPECT_EQ(judged(merged), authenticity::malformed);
    EXPECT_EQ(judged(changed(message, "", "1")), authenticity::malformed);
    EXPECT_EQ(judged(changed(message, "b c", "")), authenticity::malformed);
}

TEST(AlipayPage, AddressHoldsTheSignedRequest) {
    parameters request = page_pay();
    sign_alipay_request(request, test_private_key("merchant"));
    const std::string address =
        alipay_page_address("https://openapi.alipay.com/gateway.do", request);
    const std::string start = "https://openapi.alipay.com/gateway.do?app_id=2021000000000001&biz_";
    ASSERT_TRUE(address.starts_with(start)) << address;
    EXPECT_EQ(address.find_first_of(" \"'<>{}"), std::string::npos) << address;
    const decoded_form query = decode_form(address.substr(address.find('?') + 1));
    EXPECT_EQ(query.fields, request);
    EXPECT_EQ(judged_request(query.fields), authenticity::genuine);
}

TEST(AlipayPage, AddressMayHaveAQueryAlready) {
    EXPECT_EQ(alipay_page_address("http://127.0.0.1:1/gateway.do?x=1", {{"a", "b"}}),
              "http://127.0.0.1:1/gateway.do?x=1&a=b");
}

// As a browser undoes it.
std::string unescaped(std::string text) {
    const std::pair<const char*, const char*> escapes[] = {
        {"&lt;", "<"},   {"&gt;", ">"},   {"&quot;", "\""}, {"&#39;", "'"},
        {"&#13;", "\r"}, {"&#10;", "\n"}, {"&amp;", "&"}};
    for (const auto& [from, to] : escapes)
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; ++at)
            text.replace(at, std::string(from).size(), to);
    return text;
}
std::string attribute(const std::string& html, const std::string& name) {
    const std::size_t begin = html.find(name + "=\"") + name.size() + 2;
    return unescaped(html.substr(begin, html.find('"', begin) - begin));
}

TEST(AlipayPage, FormPostsTheSignedRequest) {
    parameters request = changed(page_pay(), "biz_content",
                                 "{\"subject\":\"</form><script>'x'&amp;\r\n</script>\"}");
    sign_alipay_request(request, test_private_key("merchant"));
    const std::string html = alipay_page_form("https://openapi.alipay.com/gateway.do", request);
    const std::string harmless = alipay_page_form("https://a/gateway.do", {{"biz_content", "{}"}});
    for (const char markup : {'<', '>', '"', '\''})
        EXPECT_EQ(std::ranges::count(html, markup), std::ranges::count(harmless, markup)) << markup;
    EXPECT_EQ(html.find_first_of("\r\n"), std::string::npos) << "browsers change line ends";

    const std::string action = attribute(html, "action");
    decoded_form sent = decode_form(action.substr(action.find('?') + 1));
    EXPECT_EQ(sent.fields.at("charset"), "utf-8") << "by which the body is decoded";
    EXPECT_FALSE(sent.fields.contains("biz_content"));
    ASSERT_TRUE(add_fields(sent.fields, {{attribute(html, "name"), attribute(html, "value")}}));
    EXPECT_EQ(sent.fields, request);
    EXPECT_EQ(judged_request(sent.fields), authenticity::genuine);
}

TEST(AlipayPage, FormIsAsExpected) {
    EXPECT_EQ(alipay_page_form("http://a/g", {{"app_id", "1"}, {"biz_content", "{\"a\":\"b\"}"}}),
              "<form id=\"alipay\" method=\"post\" action=\"http://a/g?app_id=1\">"
              "<input type=\"hidden\" name=\"biz_content\" value=\"{&quot;a&quot;:&quot;b&quot;}\">"
              "<noscript><button>Alipay</button></noscript></form>"
              "<script>document.getElementById(\"alipay\").submit()</script>");
}

}  // namespace
}  // namespace floodgate::pay
