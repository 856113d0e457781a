#include "sandbox/wechat_refunds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "sandbox/sandbox_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;
using boost::json::object;

constexpr const char* refunds_path = "/v3/refund/domestic/refunds";

class WechatRefundsTest : public SandboxTest {
protected:
    object refund(const std::string& no, int amount, int status = 200, int total = 9900,
                  const std::string& of = "order-1") {
        return wechat("POST", refunds_path,
                      fmt::format(R"({{"out_trade_no":"{}","out_refund_no":"{}","notify_url":"{}",)"
                                  R"("amount":{{"refund":{},"total":{},"currency":"CNY"}}}})",
                                  of, no, wechat_notify_url, amount, total),
                      status);
    }
    object query(const std::string& no, int status = 200) {
        return wechat("GET", std::string(refunds_path) + "/" + no, "", status);
    }
    std::string trade_state() {
        return std::string(
            wechat("GET", std::string("/v3/pay/transactions/out-trade-no/order-1?mchid=") + mch_id,
                   "", 200)
                .at("trade_state")
                .as_string());
    }
    void pay_one() {
        order_native("order-1");
        act("order-1", "pay");
    }
};

TEST_F(WechatRefundsTest, ARefundIsInProgressAndThenDone) {
    pay_one();
    object o = refund("R1", 3000);
    EXPECT_EQ(o.at("status"), "PROCESSING");
    EXPECT_FALSE(o.contains("success_time"));
    EXPECT_EQ(trade_state(), "REFUND") << "also after a part";
    now += 1s;
    o = query("R1");
    EXPECT_EQ(o.at("status"), "SUCCESS");
    EXPECT_EQ(o.at("success_time"), "2026-11-17T12:00:01+08:00");
    EXPECT_EQ(o.at("amount").at("refund"), 3000);
    EXPECT_EQ(o.at("amount").at("total"), 9900);
    EXPECT_EQ(query("R2", 404).at("code"), "RESOURCE_NOT_EXISTS");
}

TEST_F(WechatRefundsTest, ARepetitionIsTheSameRefund) {
    pay_one();
    const object first = refund("R1", 3000);
    EXPECT_EQ(refund("R1", 3000).at("refund_id"), first.at("refund_id"));
    EXPECT_EQ(refund("R1", 3001, 400).at("code"), "INVALID_REQUEST");
    EXPECT_EQ(refund("R1", 3000, 400, 9901).at("code"), "INVALID_REQUEST");
    EXPECT_EQ(refund("R1", 3000, 400, 9900, "order-2").at("code"), "INVALID_REQUEST");
    EXPECT_EQ(control("GET", "/sandbox/trades/order-1").at("refunded_fen"), 3000);
}

TEST_F(WechatRefundsTest, NeverMoreThanWasPaid) {
    pay_one();
    refund("R1", 3000);
    EXPECT_EQ(refund("R2", 6901, 400).at("code"), "INVALID_REQUEST");
    EXPECT_EQ(refund("R2", 6900, 400, 9901).at("code"), "INVALID_REQUEST");
    refund("R2", 6900);
    EXPECT_EQ(state("order-1"), "refunded");
    EXPECT_EQ(refund("R3", 1, 400).at("code"), "INVALID_REQUEST");
}

TEST_F(WechatRefundsTest, OnlyPaidOrdersAreRefunded) {
    EXPECT_EQ(refund("R1", 100, 404).at("code"), "RESOURCE_NOT_EXISTS");
    order_native("order-1");
    EXPECT_EQ(refund("R1", 9900, 404).at("code"), "RESOURCE_NOT_EXISTS");
}

TEST_F(WechatRefundsTest, RefundsMayComeTooSoon) {
    set(R"({"wechat_refund_after_ms":2000,"wechat_refund_gap_ms":60000})");
    pay_one();
    now += 2s - 1ms;
    EXPECT_EQ(refund("R1", 100, 404).at("code"), "RESOURCE_NOT_EXISTS");
    now += 1ms;
    refund("R1", 100);
    now += 60s - 1ms;
    EXPECT_EQ(refund("R2", 100, 429).at("code"), "FREQUENCY_LIMITED");
    refund("R1", 100);
    now += 1ms;
    refund("R2", 100);
}

TEST_F(WechatRefundsTest, AtMostFiftyRefundsOfOneOrder) {
    pay_one();
    for (std::size_t i = 0; i < wechat_refunds_max; ++i) refund(fmt::format("R{}", i), 1);
    EXPECT_EQ(refund("R50", 1, 403).at("code"), "RULE_LIMIT");
    EXPECT_EQ(refund("R49", 1).at("out_refund_no"), "R49") << "a repetition is no new one";
}

TEST_F(WechatRefundsTest, ARefundMayFail) {
    set(R"({"wechat_refund_ends_as":"CLOSED","wechat_refund_settles_ms":0})");
    pay_one();
    EXPECT_EQ(refund("R1", 9900).at("status"), "CLOSED");
    EXPECT_EQ(trade_state(), "SUCCESS") << "nothing was given back";
    set(R"({"wechat_refund_ends_as":"ABNORMAL"})");
    EXPECT_EQ(refund("R2", 9900).at("status"), "ABNORMAL");
    deliver();
    ASSERT_EQ(shop.messages.size(), 3U);
    EXPECT_EQ(opened(shop.messages[1].body).at("refund_status"), "CLOSED");
    EXPECT_EQ(opened(shop.messages[2].body).at("refund_status"), "ABNORMAL");
}

TEST_F(WechatRefundsTest, ARefundIsReadStrictly) {
    pay_one();
    const auto fault = [&](const std::string& body) {
        const object o = wechat("POST", refunds_path, body, 400);
        return std::string(o.at("detail").at("field").as_string());
    };
    const std::string amount = R"("amount":{"refund":1,"total":9900,"currency":"CNY"})";
    EXPECT_EQ(fault(R"({"out_refund_no":"R1",)" + amount + "}"), "/out_trade_no");
    EXPECT_EQ(fault(R"({"out_trade_no":"order-1",)" + amount + "}"), "/out_refund_no");
    EXPECT_EQ(fault(R"({"out_trade_no":"order-1","out_refund_no":"R#1",)" + amount + "}"),
              "/out_refund_no");
    const std::string good = R"({"out_trade_no":"order-1","out_refund_no":"R1")";
    EXPECT_EQ(fault(good + "}"), "/amount");
    EXPECT_EQ(fault(good + R"(,"amount":{"refund":1,"total":9900}})"), "/amount/currency");
    EXPECT_EQ(fault(good + R"(,"amount":{"refund":0,"total":9900,"currency":"CNY"}})"),
              "/amount/refund");
    EXPECT_EQ(fault(good + R"(,"reason":")" + std::string(81, 'a') + "\"," + amount + "}"),
              "/reason");
    EXPECT_EQ(fault(good + R"(,"notify_url":"x",)" + amount + "}"), "/notify_url");
    EXPECT_EQ(fault(good + R"(,"else":"x",)" + amount + "}"), "/else");
}

}  // namespace
}  // namespace floodgate::sandbox
