// WeChat Pay's API: what it refuses before it looks at a request's fields, orders, queries, closes.

#include "sandbox/wechat_gateway.hpp"

#include <boost/json/serialize.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pay/test_data.hpp"
#include "sandbox/random_text.hpp"
#include "sandbox/sandbox_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;
using boost::json::object;
using testing::HasSubstr;

constexpr const char* native = "/v3/pay/transactions/native";

class WechatGatewayTest : public SandboxTest {
protected:
    std::string query_path(const std::string& no) const {
        return "/v3/pay/transactions/out-trade-no/" + no + "?mchid=" + mch_id;
    }
    std::string query(const std::string& no) {
        return std::string(wechat("GET", query_path(no), "", 200).at("trade_state").as_string());
    }
    object close(const std::string& no, int status) {
        return wechat("POST", "/v3/pay/transactions/out-trade-no/" + no + "/close",
                      std::string(R"({"mchid":")") + mch_id + "\"}", status);
    }
    std::string code_of(const object& o) const { return std::string(o.at("code").as_string()); }
    // A query with a seal of the test's making.
    response query_with(const pay::wechat_seal& seal, const std::string& target) {
        return send("GET", target, "",
                    {{"Authorization", pay::to_authorization(seal)}, {"Accept", "*/*"}});
    }
    pay::wechat_seal seal_for(const std::string& target, instant at) const {
        return pay::sign_wechat_request(
            {"GET", target, ""},
            {mch_id, "7132D72A03E93CDDF8C03BBD1F37EEDF", pay::test_private_key("merchant")}, at,
            "nonce");
    }
    // 400 PARAM_ERROR for an order with this text in place of another one; gives the field.
    std::string fault_of(const std::string& text, const std::string& instead) {
        std::string body = native_body("order-1");
        body.replace(body.find(text), text.size(), instead);
        const object o = wechat("POST", native, body, 400);
        if (code_of(o) != "PARAM_ERROR") return code_of(o);
        return std::string(o.at("detail").at("field").as_string());
    }
};

TEST_F(WechatGatewayTest, ATradeLivesFromOrderToPayment) {
    const std::string code = order_native("order-1");
    object o = wechat("GET", query_path("order-1"), "", 200);
    EXPECT_EQ(o.at("trade_state"), "NOTPAY");
    EXPECT_FALSE(o.contains("transaction_id"));
    EXPECT_EQ(send("GET", "/sandbox/wechat/" + code).status, 200);
    EXPECT_EQ(query("order-1"), "NOTPAY");
    act("order-1", "decline");
    EXPECT_EQ(query("order-1"), "NOTPAY");
    EXPECT_EQ(send("POST", "/sandbox/wechat/" + code + "/pay").status, 302);
    o = wechat("GET", query_path("order-1"), "", 200);
    EXPECT_EQ(o.at("trade_state"), "SUCCESS");
    EXPECT_EQ(o.at("amount").at("total"), 9900);
    EXPECT_EQ(o.at("success_time"), "2026-11-17T12:00:00+08:00");
    EXPECT_EQ(o.at("trade_type"), "NATIVE");
    const std::string number(o.at("transaction_id").as_string());
    const std::string by_number = "/v3/pay/transactions/id/" + number + "?mchid=" + mch_id;
    EXPECT_EQ(wechat("GET", by_number, "", 200).at("out_trade_no"), "order-1");
}

TEST_F(WechatGatewayTest, ABadSignatureIsAnsweredWithTheStringThatWasBuilt) {
    const std::string target = query_path("order-1");
    const response r = query_with(seal_for(target + "0", now), target);
    EXPECT_EQ(r.status, 401);
    EXPECT_THAT(r.body, HasSubstr(R"("code":"SIGN_ERROR")"));
    EXPECT_THAT(r.body, HasSubstr(R"("issue":"sign not match")"));
    EXPECT_THAT(r.body, HasSubstr("\"truncated_sign_message\":\"GET\\n" + target + "\\n"));
}

TEST_F(WechatGatewayTest, TheSealMustBeWholeFreshAndOfAKnownMerchantAndKey) {
    const std::string target = query_path("order-1");
    const auto status = [&](const pay::wechat_seal& s) { return query_with(s, target).status; };
    const pay::wechat_seal good = seal_for(target, now);
    EXPECT_EQ(status(good), 404) << "only the order is missing";
    EXPECT_EQ(status(seal_for(target, now - 299s)), 404);
    EXPECT_EQ(status(seal_for(target, now - 300s)), 401);
    EXPECT_EQ(status(seal_for(target, now + 300s)), 401);
    pay::wechat_seal s = good;
    s.serial = "11";
    EXPECT_THAT(query_with(s, target).body, HasSubstr("\"field\":\"serial_no\""));
    s = good;
    s.mch_id = "1900000002";
    EXPECT_THAT(query_with(s, target).body, HasSubstr("MCH_NOT_EXISTS"));
    s = good;
    s.nonce = "other";
    EXPECT_EQ(status(s), 401);
    for (const char* header : {"", "Bearer x", "WECHATPAY2-SHA256-RSA2048 mchid=\"1\""})
        EXPECT_EQ(send("GET", target, "", {{"Authorization", header}, {"Accept", "*/*"}}).status,
                  401);
}

TEST_F(WechatGatewayTest, HeadersAndBodiesMustBeJson) {
    const std::string target = query_path("order-1");
    const std::string authorization = pay::to_authorization(seal_for(target, now));
    const response html =
        send("GET", target, "", {{"Authorization", authorization}, {"Accept", "text/html"}});
    EXPECT_EQ(html.status, 400);
    for (const char* body : {"", "[]", "{", R"({"amount":null})", "{\"a\":\"\xF0\x9F\x98\x80\"}"})
        EXPECT_EQ(code_of(wechat("POST", native, body, 400)), "PARAM_ERROR") << body;
    EXPECT_EQ(send_wechat("GET", "/v3/pay/transactions/elsewhere").status, 404);
    EXPECT_EQ(send_wechat("DELETE", native).status, 404);
}

TEST_F(WechatGatewayTest, AnOrderIsReadStrictly) {
    EXPECT_EQ(fault_of("\"appid\"", "\"app\""), "/appid");
    EXPECT_EQ(fault_of(wechat_app_id, "wx2"), "APPID_MCHID_NOT_MATCH");
    EXPECT_EQ(fault_of(mch_id, "1900000002"), "/mchid");
    EXPECT_EQ(fault_of("\"description\":\"水壶\",", ""), "/description");
    EXPECT_EQ(fault_of("水壶", std::string(128, 'a')), "/description");
    EXPECT_EQ(fault_of("order-1", "order"), "/out_trade_no");
    EXPECT_EQ(fault_of("order-1", "order/1"), "/out_trade_no");
    EXPECT_EQ(fault_of("order-1", std::string(33, 'a')), "/out_trade_no");
    EXPECT_EQ(fault_of(wechat_notify_url, "http://h/?a=1"), "/notify_url");
    EXPECT_EQ(fault_of(wechat_notify_url, "weixin://h"), "/notify_url");
    EXPECT_EQ(fault_of("9900", "0"), "/amount/total");
    EXPECT_EQ(fault_of("9900", "99.5"), "/amount/total");
    EXPECT_EQ(fault_of("9900", "\"9900\""), "/amount/total");
    EXPECT_EQ(fault_of("CNY", "USD"), "/amount/currency");
    EXPECT_EQ(fault_of("\"total\"", "\"fee\":1,\"total\""), "/amount/fee");
    EXPECT_EQ(fault_of("\"amount\"", "\"extra\":1,\"amount\""), "/extra");
    EXPECT_EQ(fault_of("\"amount\"", "\"time_expire\":\"2026-11-17 13:00:00\",\"amount\""),
              "/time_expire");
    set(R"({"wechat_refuse_unknown_fields":false,"wechat_refuse_local_urls":true})");
    EXPECT_EQ(fault_of("\"amount\"", "\"extra\":1,\"amount\""), "/notify_url");
    set(R"({"wechat_refuse_local_urls":false})");
    order_native("order-1", R"(,"extra":1)");
}

TEST_F(WechatGatewayTest, TheSameOrderAgainGetsAnotherCode) {
    const std::string first = order_native("order-1");
    const std::string second = order_native("order-1");
    EXPECT_NE(first, second);
    EXPECT_EQ(send("GET", "/sandbox/wechat/" + first).status, 404) << "the old one is dead";
    EXPECT_EQ(send("GET", "/sandbox/wechat/" + second).status, 200);
    const std::string other = native_body("order-1", R"(,"attach":"x")");
    EXPECT_EQ(code_of(wechat("POST", native, other, 400)), "INVALID_REQUEST");
    now += 2h;
    EXPECT_EQ(send("GET", "/sandbox/wechat/" + second).status, 410) << "good for two hours";
    act("order-1", "pay");
    const std::string same = native_body("order-1");
    EXPECT_EQ(code_of(wechat("POST", native, same, 403)), "OUT_TRADE_NO_USED");
    order_native("order-2");
    close("order-2", 204);
    EXPECT_EQ(code_of(wechat("POST", native, native_body("order-2"), 400)), "ORDER_CLOSED");
}

TEST_F(WechatGatewayTest, TimeExpireEndsPaymentButDoesNotClose) {
    order_native("order-1", R"(,"time_expire":"2026-11-17T12:00:01+08:00")");
    now += 1min - 1ms;
    EXPECT_EQ(query("order-1"), "NOTPAY");
    now += 1ms;  // one second was raised to a minute
    act("order-1", "pay", 409);
    EXPECT_EQ(query("order-1"), "NOTPAY");
    now += std::chrono::days(7);
    EXPECT_EQ(query("order-1"), "CLOSED");
    set(R"({"pay_after_close":true})");
    act("order-1", "pay");
    EXPECT_EQ(query("order-1"), "SUCCESS");
}

TEST_F(WechatGatewayTest, AQueryNeedsTheMerchant) {
    order_native("order-1");
    const std::string path = "/v3/pay/transactions/out-trade-no/order-1";
    EXPECT_EQ(code_of(wechat("GET", path, "", 400)), "PARAM_ERROR");
    EXPECT_EQ(code_of(wechat("GET", path + "?mchid=1", "", 400)), "PARAM_ERROR");
    EXPECT_EQ(code_of(wechat("GET", query_path("order-2"), "", 404)), "ORDER_NOT_EXIST");
}

TEST_F(WechatGatewayTest, ClosingIsSignedAndRepeatable) {
    order_native("order-1");
    close("order-1", 204);
    EXPECT_EQ(query("order-1"), "CLOSED");
    close("order-1", 204);
    order_native("order-2");
    act("order-2", "pay");
    EXPECT_EQ(code_of(close("order-2", 400)), "ORDERPAID");
    close("order-3", 204);
    set(R"({"wechat_close_unknown_is_fine":false})");
    EXPECT_EQ(code_of(close("order-3", 404)), "ORDER_NOT_EXIST");
    EXPECT_EQ(code_of(wechat("POST", "/v3/pay/transactions/out-trade-no/order-1/close", "{}", 400)),
              "PARAM_ERROR");
}

TEST_F(WechatGatewayTest, UncertainCodesAreSwitches) {
    order_native("order-1");
    act("order-1", "pay");
    set(R"({"wechat_close_refusal":"TRADE_ERROR","wechat_old_codes":true})");
    EXPECT_EQ(code_of(close("order-1", 400)), "TRADE_ERROR");
    EXPECT_EQ(code_of(wechat("GET", query_path("order-2"), "", 404)), "ORDERNOTEXIST");
    set(R"({"troubles":[{"verb":"wechat.query","kind":"system_error"}]})");
    EXPECT_EQ(code_of(wechat("GET", query_path("order-1"), "", 500)), "SYSTEMERROR");
}

TEST_F(WechatGatewayTest, TheSecondKeySignsWhenItIsWanted) {
    const auto serial = [&](header_list more) {
        const std::string target = query_path("order-1");
        more.emplace_back("Authorization", pay::to_authorization(seal_for(target, now)));
        more.emplace_back("Accept", "application/json");
        const response r = send("GET", target, "", more);
        EXPECT_EQ(verify(r.headers, r.body), pay::authenticity::genuine);
        return std::string(header_of(r.headers, "Wechatpay-Serial"));
    };
    const std::string first = serial({});
    set(R"({"wechat_second_key":true})");
    const std::string second = serial({});
    EXPECT_NE(first, second);
    EXPECT_EQ(serial({{"Wechatpay-Serial", first}}), first) << "the client may choose";
    set(R"({"wechat_second_key":false})");
    EXPECT_EQ(serial({{"Wechatpay-Serial", second}}), second);
    EXPECT_EQ(serial({{"Wechatpay-Serial", "unknown"}}), first);
}

TEST_F(WechatGatewayTest, CertificatesAreEncrypted) {
    const object o = wechat("GET", "/v3/certificates", "", 200);
    const object one = o.at("data").as_array().at(0).as_object();
    const object sealed = one.at("encrypt_certificate").as_object();
    EXPECT_EQ(sealed.at("associated_data"), "certificate");
    EXPECT_EQ(sealed.at("algorithm"), "AEAD_AES_256_GCM");
}

TEST_F(WechatGatewayTest, TroubleComesAfterTheWork) {
    const std::string body = native_body("order-1");
    const auto spoil = [&](const char* kind) {
        set(std::string(R"({"troubles":[{"verb":"wechat.native","kind":")") + kind + "\"}]}");
        return send_wechat("POST", native, body);
    };
    EXPECT_EQ(spoil("http_500").status, 500);
    EXPECT_EQ(query("order-1"), "NOTPAY") << "the work was done";
    EXPECT_THAT(spoil("system_error").body, HasSubstr("SYSTEM_ERROR"));
    EXPECT_EQ(spoil("unavailable").status, 500);
    EXPECT_EQ(spoil("limited").status, 429);
    EXPECT_EQ(spoil("user_paying").status, 202);
    EXPECT_EQ(spoil("rubbish").body, "<html>busy</html>");
    EXPECT_EQ(header_of(spoil("unsigned").headers, "Wechatpay-Signature"), "");
    const response forged = spoil("wrong_key");
    EXPECT_EQ(verify(forged.headers, forged.body), pay::authenticity::bad_signature);
    set(R"({"troubles":[{"verb":"wechat.native","kind":"late","delay_ms":60000}]})");
    const response late = send_wechat("POST", native, body);
    EXPECT_EQ(late.status, 200);
    EXPECT_EQ(late.delay, 60s);
    set(R"({"troubles":[{"verb":"wechat.close","kind":"user_paying","after_work":false}]})");
    EXPECT_EQ(code_of(close("order-1", 202)), "USER_PAYING");
    EXPECT_EQ(query("order-1"), "NOTPAY");
}

}  // namespace
}  // namespace floodgate::sandbox
