// The messages as the merchant's server gets them.

#include "sandbox/delivery.hpp"

#include <boost/json/parse.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pay/alipay_text.hpp"
#include "pay/test_data.hpp"
#include "sandbox/sandbox_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

class DeliveryTest : public SandboxTest {
protected:
    pay::parameters form(std::size_t i) {
        const pay::decoded_form f = pay::decode_form(shop.messages.at(i).body);
        EXPECT_EQ(f.verdict, pay::form_verdict::good);
        for (const auto& [name, value] : f.fields) EXPECT_FALSE(value.empty()) << name;
        return f.fields;
    }
    pay::authenticity judged(std::size_t i) {
        return pay::verify_alipay_message(form(i), pay::test_public_key("platform"));
    }
    std::vector<std::string> statuses() {
        std::vector<std::string> all;
        for (std::size_t i = 0; i < shop.messages.size(); ++i)
            all.push_back(form(i).at("trade_status"));
        return all;
    }
    void pay_alipay() {
        order_page("A1", R"(,"body":"b","passback_params":"a%3D1")");
        act("A1", "pay");
    }
    void refund_alipay(const std::string& amount, const std::string& no) {
        alipay("alipay.trade.refund", R"({"out_trade_no":"A1","refund_amount":")" + amount +
                                          R"(","out_request_no":")" + no + "\"}");
    }
    void pay_wechat() {
        order_native("order-1", R"(,"attach":"mine")");
        act("order-1", "pay");
    }
    pay::authenticity judged_wechat(std::size_t i) {
        return verify(shop.messages.at(i).headers, shop.messages.at(i).body);
    }
};

TEST_F(DeliveryTest, AlipayTellsOfAPayment) {
    pay_alipay();
    deliver();
    ASSERT_EQ(shop.messages.size(), 1U);
    EXPECT_EQ(shop.messages[0].url, alipay_notify_url);
    EXPECT_THAT(std::string(header_of(shop.messages[0].headers, "Content-Type")),
                HasSubstr("application/x-www-form-urlencoded"));
    EXPECT_EQ(judged(0), pay::authenticity::genuine);
    const pay::parameters m = form(0);
    std::string names;
    for (const auto& [name, value] : m) names += name + " ";
    EXPECT_EQ(names,
              "app_id auth_app_id body buyer_id buyer_logon_id buyer_pay_amount charset "
              "fund_bill_list gmt_create gmt_payment invoice_amount notify_id notify_time "
              "notify_type out_trade_no passback_params point_amount receipt_amount seller_id sign "
              "sign_type subject total_amount trade_no trade_status version ");
    EXPECT_EQ(m.at("app_id"), app_id);
    EXPECT_EQ(m.at("seller_id"), seller_id);
    EXPECT_EQ(m.at("out_trade_no"), "A1");
    EXPECT_EQ(m.at("total_amount"), "99.00");
    EXPECT_EQ(m.at("trade_status"), "TRADE_SUCCESS");
    EXPECT_EQ(m.at("subject"), "水壶 100%");
    EXPECT_EQ(m.at("passback_params"), "a%3D1");
    EXPECT_EQ(m.at("gmt_payment"), "2026-11-17 12:00:00");
    EXPECT_EQ(m.at("fund_bill_list"), R"([{"amount":"99.00","fundChannel":"ALIPAYACCOUNT"}])");
    deliver();
    EXPECT_EQ(shop.messages.size(), 1U) << "it was taken";
}

TEST_F(DeliveryTest, AlipayRetriesWithTheSameIdUntilItReadsSuccess) {
    pay_alipay();
    for (const posted& bad : {posted{200, "SUCCESS"}, posted{200, "success\n"},
                              posted{500, "success"}, posted{302, "success"}, posted{0, ""}}) {
        shop.answer = bad;
        deliver();
        now += 15h;
    }
    shop.answer = {200, "success"};
    deliver();
    ASSERT_EQ(shop.messages.size(), 6U);
    for (std::size_t i = 1; i < 6; ++i) {
        EXPECT_EQ(form(i).at("notify_id"), form(0).at("notify_id"));
        EXPECT_NE(form(i).at("notify_time"), form(0).at("notify_time"));
        EXPECT_EQ(judged(i), pay::authenticity::genuine);
    }
    now += 48h;
    deliver();
    EXPECT_EQ(shop.messages.size(), 6U);
}

TEST_F(DeliveryTest, AlipayTellsOfRefunds) {
    pay_alipay();
    deliver();
    refund_alipay("30.00", "R1");
    refund_alipay("69.00", "R2");
    deliver();
    EXPECT_THAT(statuses(), ElementsAre("TRADE_SUCCESS", "TRADE_SUCCESS", "TRADE_CLOSED"));
    EXPECT_EQ(form(1).at("refund_fee"), "30.00");
    EXPECT_EQ(form(1).at("out_biz_no"), "R1");
    EXPECT_EQ(form(2).at("refund_fee"), "99.00");
    EXPECT_EQ(form(2).count("gmt_close"), 0U);
    EXPECT_NE(form(1).at("notify_id"), form(0).at("notify_id"));
    set(R"({"alipay_notify_refunds":false})");
    order_page("A2");
    act("A2", "pay");
    alipay("alipay.trade.refund", R"({"out_trade_no":"A2","refund_amount":"99.00"})");
    deliver();
    EXPECT_EQ(shop.messages.size(), 4U) << "of the payment only";
}

TEST_F(DeliveryTest, AlipayTellsOfTheStatesItIsToldTo) {
    for (const char* no : {"A1", "A2"}) order_page(no, R"(,"timeout_express":"1h")");
    act("A1", "open");
    now += 1h;
    deliver();
    EXPECT_TRUE(shop.messages.empty());
    set(R"({"alipay_notify_states":["TRADE_CLOSED","TRADE_FINISHED"]})");
    order_page("A3", R"(,"timeout_express":"1h")");
    act("A3", "open");
    now += 1h;
    deliver();
    order_page("A4");
    act("A4", "pay");
    act("A4", "finish");
    deliver();
    EXPECT_THAT(statuses(), ElementsAre("TRADE_CLOSED", "TRADE_FINISHED"));
    EXPECT_EQ(form(0).at("gmt_close"), "2026-11-17 14:00:00");
    EXPECT_EQ(form(0).count("gmt_payment"), 0U);
}

TEST_F(DeliveryTest, WechatTellsOfAPayment) {
    pay_wechat();
    deliver();
    ASSERT_EQ(shop.messages.size(), 1U);
    EXPECT_EQ(shop.messages[0].url, wechat_notify_url);
    EXPECT_EQ(judged_wechat(0), pay::authenticity::genuine);
    EXPECT_EQ(header_of(shop.messages[0].headers, "Content-Type"), "application/json");
    const auto outer = boost::json::parse(shop.messages[0].body).as_object();
    EXPECT_EQ(outer.at("event_type"), "TRANSACTION.SUCCESS");
    EXPECT_EQ(outer.at("resource_type"), "encrypt-resource");
    EXPECT_EQ(outer.at("resource").at("original_type"), "transaction");
    const auto inner = opened(shop.messages[0].body);
    EXPECT_EQ(inner.at("mchid"), mch_id);
    EXPECT_EQ(inner.at("appid"), wechat_app_id);
    EXPECT_EQ(inner.at("out_trade_no"), "order-1");
    EXPECT_EQ(inner.at("trade_state"), "SUCCESS");
    EXPECT_EQ(inner.at("attach"), "mine");
    EXPECT_EQ(inner.at("amount").at("total"), 9900);
    EXPECT_EQ(inner.at("amount").at("currency"), "CNY");
}

TEST_F(DeliveryTest, WechatRetriesTheSameBodyWithAFreshSeal) {
    pay_wechat();
    shop.answer = {500, R"({"code":"FAIL"})"};
    deliver();
    now += 15s;
    deliver();
    now += 15s;
    shop.answer = {204, ""};
    deliver();
    now += 30s;
    deliver();
    ASSERT_EQ(shop.messages.size(), 3U);
    EXPECT_EQ(shop.messages[2].body, shop.messages[0].body);
    EXPECT_EQ(judged_wechat(2), pay::authenticity::genuine);
    EXPECT_NE(header_of(shop.messages[2].headers, "Wechatpay-Nonce"),
              header_of(shop.messages[0].headers, "Wechatpay-Nonce"));
}

TEST_F(DeliveryTest, WechatTellsOfARefundWhenItIsDone) {
    pay_wechat();
    deliver();
    wechat("POST", "/v3/refund/domestic/refunds",
           std::string(R"({"out_trade_no":"order-1","out_refund_no":"R1","notify_url":")") +
               wechat_notify_url + R"(","amount":{"refund":100,"total":9900,"currency":"CNY"}})",
           200);
    deliver();
    EXPECT_EQ(shop.messages.size(), 1U) << "still in progress";
    now += 1s;
    deliver();
    ASSERT_EQ(shop.messages.size(), 2U);
    EXPECT_THAT(shop.messages[1].body, HasSubstr("REFUND.SUCCESS"));
    const auto inner = opened(shop.messages[1].body);
    EXPECT_EQ(inner.at("refund_status"), "SUCCESS");
    EXPECT_EQ(inner.at("out_refund_no"), "R1");
    EXPECT_EQ(inner.at("amount").at("refund"), 100);
    EXPECT_FALSE(inner.contains("appid"));
}

TEST_F(DeliveryTest, AWrongKeyIsUsedUp) {
    set(R"({"notify_wrong_key":2})");
    pay_alipay();
    pay_wechat();
    deliver();
    ASSERT_EQ(shop.messages.size(), 2U);
    EXPECT_EQ(judged(0), pay::authenticity::bad_signature);
    EXPECT_EQ(judged_wechat(1), pay::authenticity::bad_signature);
    order_page("A2");
    act("A2", "pay");
    deliver();
    EXPECT_EQ(judged(2), pay::authenticity::genuine);
}

TEST_F(DeliveryTest, AProbeComesBeforeTheMessageAndIsNotRepeated) {
    set(R"({"notify_probes":1})");
    pay_wechat();
    deliver();
    ASSERT_EQ(shop.messages.size(), 2U);
    EXPECT_EQ(judged_wechat(0), pay::authenticity::probe);
    EXPECT_EQ(judged_wechat(1), pay::authenticity::genuine);
}

TEST_F(DeliveryTest, TheSecondKeySignsMessages) {
    pay_wechat();
    set(R"({"wechat_second_key":true})");
    deliver();
    EXPECT_EQ(judged_wechat(0), pay::authenticity::genuine);
    EXPECT_THAT(std::string(header_of(shop.messages[0].headers, "Wechatpay-Serial")),
                HasSubstr("PUB_KEY_ID_"));
}

TEST_F(DeliveryTest, OutOfOrderTheRefundIsToldBeforeThePayment) {
    set(R"({"notify_out_of_order":true})");
    pay_alipay();
    deliver();
    EXPECT_TRUE(shop.messages.empty());
    refund_alipay("99.00", "R1");
    now += 1s;
    deliver();
    EXPECT_THAT(statuses(), ElementsAre("TRADE_CLOSED", "TRADE_SUCCESS"));
}

TEST_F(DeliveryTest, ARestartForgetsNoMessage) {
    pay_alipay();
    restart();
    deliver();
    EXPECT_EQ(shop.messages.size(), 1U);
    EXPECT_EQ(judged(0), pay::authenticity::genuine);
}

TEST_F(DeliveryTest, TheMerchantMayAskWhileItIsTold) {
    pay_alipay();
    std::string seen;
    shop.meanwhile = [&] { seen = state("A1"); };
    deliver();
    EXPECT_EQ(seen, "paid");
}

TEST_F(DeliveryTest, AMessageOfAChannelThatIsGoneIsDropped) {
    pay_alipay();
    restart(false);
    deliver();
    restart();
    deliver();
    EXPECT_TRUE(shop.messages.empty());
}

TEST_F(DeliveryTest, WithoutAnAddressNothingIsSent) {
    pay::parameters all = alipay_parameters(
        "alipay.trade.page.pay", R"({"out_trade_no":"A1","product_code":"FAST_INSTANT_TRADE_PAY",)"
                                 R"("total_amount":"1","subject":"s"})");
    all.erase("notify_url");
    EXPECT_EQ(post_alipay(signed_by_merchant(all)).status, 302);
    act("A1", "pay");
    deliver();
    EXPECT_TRUE(shop.messages.empty());
}

}  // namespace
}  // namespace floodgate::sandbox
