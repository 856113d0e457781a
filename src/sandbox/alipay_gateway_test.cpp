// What Alipay's gateway refuses before it looks at the business of a request.

#include "sandbox/alipay_gateway.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pay/alipay_response.hpp"
#include "pay/alipay_text.hpp"
#include "pay/test_data.hpp"
#include "sandbox/sandbox_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using testing::HasSubstr;

constexpr const char* query = "alipay.trade.query";
constexpr const char* some_trade = R"({"out_trade_no":"A1"})";

class AlipayGatewayTest : public SandboxTest {
protected:
    // The sub_code after a change to a good request, which is signed afterwards.
    std::string fault_after(const std::function<void(pay::parameters&)>& change) {
        pay::parameters all = alipay_parameters(query, some_trade);
        change(all);
        return sub_code(post_alipay(signed_after(all)));
    }
    static std::string sub_code(const response& r) {
        const auto parts = pay::split_alipay_response(r.body, query);
        std::string node(parts.node);
        const std::size_t at = node.find("\"sub_code\":\"");
        if (at == std::string::npos) return node;
        return node.substr(at + 12, node.find('"', at + 12) - at - 12);
    }

private:
    // Keeps what the change did to sign_type.
    static pay::parameters signed_after(const pay::parameters& all) {
        pay::parameters out = signed_by_merchant(all);
        const auto type = all.find("sign_type");
        if (type == all.end()) {
            out.erase("sign_type");
        } else {
            out["sign_type"] = type->second;
        }
        return out;
    }
};

TEST_F(AlipayGatewayTest, AGoodRequestReachesItsMethod) {
    EXPECT_EQ(alipay(query, some_trade).at("sub_code"), "ACQ.TRADE_NOT_EXIST");
}

TEST_F(AlipayGatewayTest, EveryMissingOrWrongParameterHasItsCode) {
    const auto without = [&](const char* name) {
        return fault_after([&](pay::parameters& all) { all.erase(name); });
    };
    const auto with = [&](const char* name, const char* value) {
        return fault_after([&](pay::parameters& all) { all[name] = value; });
    };
    EXPECT_EQ(without("method"), "isv.missing-method");
    EXPECT_EQ(without("app_id"), "isv.missing-app-id");
    EXPECT_EQ(without("sign_type"), "isv.missing-signature-type");
    EXPECT_EQ(without("charset"), "isv.missing-charset");
    EXPECT_EQ(without("version"), "isv.missing-version");
    EXPECT_EQ(without("timestamp"), "isv.missing-timestamp");
    EXPECT_EQ(without("biz_content"), "isv.missing-biz-content");
    EXPECT_EQ(without("format"), "ACQ.TRADE_NOT_EXIST") << "it may be left out";
    EXPECT_EQ(with("app_id", "2021000000000002"), "isv.invalid-app-id");
    EXPECT_EQ(with("method", "alipay.trade.create"), "isv.invalid-method");
    EXPECT_EQ(with("sign_type", "RSA"), "isv.invalid-signature-type");
    EXPECT_EQ(with("charset", "gbk"), "isv.invalid-charset");
    EXPECT_EQ(with("format", "XML"), "isv.invalid-format");
    EXPECT_EQ(with("format", "json"), "ACQ.TRADE_NOT_EXIST");
    EXPECT_EQ(with("version", "2.0"), "isv.invalid-version");
    EXPECT_EQ(with("timestamp", "2026-11-17T12:00:00"), "isv.invalid-timestamp");
    EXPECT_EQ(with("biz_content", "out_trade_no=A1"), "isv.invalid-parameter");
    EXPECT_EQ(with("notify_url", "ftp://127.0.0.1/"), "isv.invalid-parameter");
    EXPECT_EQ(with("return_url", std::string("http://h/").append(256, 'a').c_str()),
              "isv.invalid-parameter");
    EXPECT_EQ(with("alipay_sdk", "anything"), "ACQ.TRADE_NOT_EXIST") << "unknown, but signed";
}

TEST_F(AlipayGatewayTest, AnUnsignedRequestIsRefused) {
    EXPECT_EQ(sub_code(post_alipay(alipay_parameters(query, some_trade))), "isv.missing-signature");
}

TEST_F(AlipayGatewayTest, ABadSignatureIsAnsweredWithTheStringThatWasBuilt) {
    pay::parameters all = signed_by_merchant(alipay_parameters(query, some_trade));
    all["biz_content"] = R"({"out_trade_no":"A2"})";
    const auto node = verified_node(post_alipay(all), query);
    EXPECT_EQ(node.at("code"), "40002");
    EXPECT_EQ(node.at("sub_code"), "isv.invalid-signature");
    const std::string sub_msg(node.at("sub_msg").as_string());
    EXPECT_THAT(sub_msg, HasSubstr("app_id=2021000000000001&biz_content={\"out_trade_no\":\"A2\"}"
                                   "&charset=utf-8&"));
    EXPECT_THAT(sub_msg, HasSubstr("sign_type=RSA2&timestamp=2026-11-17 12:00:00&version=1.0"));
}

TEST_F(AlipayGatewayTest, AnotherKeyIsRefused) {
    pay::parameters all = alipay_parameters(query, some_trade);
    pay::sign_alipay_request(all, pay::test_private_key("other"));
    EXPECT_EQ(sub_code(post_alipay(all)), "isv.invalid-signature");
}

TEST_F(AlipayGatewayTest, AParameterInBothPlacesIsASuspectedAttack) {
    const pay::parameters all = signed_by_merchant(alipay_parameters(query, some_trade));
    const header_list form{{"Content-Type", "application/x-www-form-urlencoded"}};
    const std::string target = "/gateway.do?" + pay::encode_form(all);
    const response body = send("POST", target, "version=1.0", form);
    EXPECT_THAT(body.body, HasSubstr("isv.suspected-attack"));
    EXPECT_THAT(send("POST", target + "&version=1.0", "", form).body,
                HasSubstr("isv.suspected-attack"));
    EXPECT_THAT(send("POST", target, "a=1", {{"Content-Type", "multipart/form-data"}}).body,
                HasSubstr("isv.invalid-content-type"));
    EXPECT_THAT(send("POST", target, "a=%4", form).body, HasSubstr("isv.invalid-parameter"));
}

TEST_F(AlipayGatewayTest, EverythingMayStandInTheQueryOrInTheBody) {
    const pay::parameters all = signed_by_merchant(alipay_parameters(query, some_trade));
    EXPECT_EQ(sub_code(send("GET", "/gateway.do?" + pay::encode_form(all))), "ACQ.TRADE_NOT_EXIST");
    EXPECT_EQ(sub_code(send("POST", "/gateway.do", pay::encode_form(all),
                            {{"content-type", "application/x-www-form-urlencoded"}})),
              "ACQ.TRADE_NOT_EXIST");
    EXPECT_EQ(send("PUT", "/gateway.do").status, 405);
}

TEST_F(AlipayGatewayTest, AnUnknownAppGetsNoSignature) {
    pay::parameters all = alipay_parameters(query, some_trade);
    all["app_id"] = "1";
    const response r = post_alipay(signed_by_merchant(all));
    EXPECT_EQ(pay::split_alipay_response(r.body, query).sign, "");
    EXPECT_THAT(r.body, HasSubstr("\"alipay_trade_query_response\":"));
}

TEST_F(AlipayGatewayTest, APageMethodAnswersFaultsWithAPage) {
    pay::parameters all = alipay_parameters("alipay.trade.page.pay", R"({"subject":"<b>"})");
    all["sign"] = "bm9uZQ==";
    const response r = post_alipay(all);
    EXPECT_EQ(r.status, 200);
    EXPECT_THAT(r.content_type, HasSubstr("text/html"));
    EXPECT_THAT(r.body, HasSubstr("isv.invalid-signature"));
    EXPECT_THAT(r.body, HasSubstr("biz_content={&quot;subject&quot;:&quot;&lt;b&gt;&quot;}"));
    EXPECT_THAT(post_alipay(signed_by_merchant(all)).body, HasSubstr("ACQ.INVALID_PARAMETER"));
}

TEST_F(AlipayGatewayTest, TroubleComesAfterTheWork) {
    order_page("A1");
    act("A1", "open");
    const auto spoil = [&](const char* kind) {
        set(std::string(R"({"troubles":[{"verb":"alipay.trade.query","kind":")") + kind + "\"}]}");
        return post_alipay(signed_by_merchant(alipay_parameters(query, some_trade)));
    };
    EXPECT_EQ(spoil("http_500").status, 500);
    EXPECT_THAT(spoil("unavailable").body, HasSubstr("\"code\":\"20000\""));
    EXPECT_EQ(sub_code(spoil("system_error")), "ACQ.SYSTEM_ERROR");
    EXPECT_THAT(spoil("limited").body, HasSubstr("\"code\":\"40005\""));
    EXPECT_EQ(pay::split_alipay_response(spoil("rubbish").body, query).node, "");
    EXPECT_EQ(pay::split_alipay_response(spoil("unsigned").body, query).sign, "");
    const response forged = spoil("wrong_key");
    EXPECT_EQ(pay::verify_alipay_response(forged.body, query, pay::test_public_key("platform")).how,
              pay::authenticity::bad_signature);
    EXPECT_EQ(alipay(query, some_trade).at("trade_status"), "WAIT_BUYER_PAY") << "used up";
    set(R"({"troubles":[{"verb":"alipay.trade.query","kind":"late","delay_ms":50}]})");
    const response late = post_alipay(signed_by_merchant(alipay_parameters(query, some_trade)));
    EXPECT_EQ(verified_node(late, query).at("trade_status"), "WAIT_BUYER_PAY");
    EXPECT_EQ(late.delay, milliseconds(50));

    set(R"({"troubles":[{"verb":"alipay.trade.close","kind":"http_500","after_work":false},
                        {"verb":"alipay.trade.close","kind":"unavailable"}]})");
    const auto close = signed_by_merchant(alipay_parameters("alipay.trade.close", some_trade));
    EXPECT_EQ(post_alipay(close).status, 500);
    EXPECT_EQ(state("A1"), "waiting") << "without work";
    EXPECT_THAT(post_alipay(close).body, HasSubstr("\"code\":\"20000\""));
    EXPECT_EQ(state("A1"), "closed") << "after the work";
}

}  // namespace
}  // namespace floodgate::sandbox
