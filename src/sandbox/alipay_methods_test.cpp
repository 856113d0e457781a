// The business of Alipay's methods: page pay, query, close, refund, refund query.

#include "sandbox/alipay_methods.hpp"

#include <boost/json/serialize.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pay/alipay_text.hpp"
#include "pay/beijing_time.hpp"
#include "pay/test_data.hpp"
#include "sandbox/alipay_page.hpp"
#include "sandbox/sandbox_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;

class AlipayMethodsTest : public SandboxTest {
protected:
    // "10000 TRADE_SUCCESS", or the sub_code.
    std::string query(const std::string& no = "A1") {
        const auto node = alipay("alipay.trade.query", R"({"out_trade_no":")" + no + "\"}");
        return outcome(node, "trade_status");
    }
    std::string close(const std::string& no = "A1") {
        return outcome(alipay("alipay.trade.close", R"({"out_trade_no":")" + no + "\"}"),
                       "out_trade_no");
    }
    boost::json::object refund(const std::string& amount, const std::string& request_no = "") {
        std::string biz = R"({"out_trade_no":"A1","refund_amount":")" + amount + "\"";
        if (!request_no.empty()) biz += R"(,"out_request_no":")" + request_no + "\"";
        return alipay("alipay.trade.refund", biz + "}");
    }
    // "Y 30.00": fund_change and the sum; or the sub_code.
    std::string refund_words(const std::string& amount, const std::string& request_no = "") {
        const auto node = refund(amount, request_no);
        if (node.contains("sub_code")) return std::string(node.at("sub_code").as_string());
        return std::string(node.at("fund_change").as_string()) + " " +
               std::string(node.at("refund_fee").as_string());
    }
    boost::json::object query_refund(const std::string& request_no) {
        return alipay("alipay.trade.fastpay.refund.query",
                      R"({"out_trade_no":"A1","out_request_no":")" + request_no + "\"}");
    }
    void pay_one() {
        order_page("A1");
        act("A1", "pay");
    }
    // The page's fault for a changed order.
    std::string page_fault(const std::string& biz) {
        const response r =
            post_alipay(signed_by_merchant(alipay_parameters("alipay.trade.page.pay", biz)));
        if (r.status == 302) return "none";
        const std::size_t at = r.body.find("ACQ.");
        return at == std::string::npos ? r.body : r.body.substr(at, r.body.find('<', at) - at);
    }
    static std::string order(const std::string& amount, const std::string& more = "") {
        return R"({"out_trade_no":"A1","product_code":"FAST_INSTANT_TRADE_PAY","subject":"s",)"
               "\"total_amount\":" +
               amount + more + "}";
    }

private:
    static std::string outcome(const boost::json::object& node, const char* field) {
        const char* name = node.contains("sub_code") ? "sub_code" : field;
        return std::string(node.at(name).as_string());
    }
};

TEST_F(AlipayMethodsTest, ATradeExistsOnlyAfterTheBuyerOpenedTheCashier) {
    const std::string code = order_page("A1");
    ASSERT_FALSE(code.empty());
    EXPECT_EQ(query(), "ACQ.TRADE_NOT_EXIST");
    EXPECT_EQ(close(), "ACQ.TRADE_NOT_EXIST");
    EXPECT_EQ(send("GET", "/sandbox/cashier/" + code).status, 200);
    EXPECT_EQ(query(), "WAIT_BUYER_PAY");
    EXPECT_EQ(close(), "A1");
    EXPECT_EQ(query(), "TRADE_CLOSED");
}

TEST_F(AlipayMethodsTest, APaidTradeIsDescribedInFull) {
    pay_one();
    const auto node = alipay("alipay.trade.query", R"({"out_trade_no":"A1"})");
    EXPECT_EQ(node.at("code"), "10000");
    EXPECT_EQ(node.at("msg"), "Success");
    EXPECT_EQ(node.at("trade_status"), "TRADE_SUCCESS");
    for (const char* name :
         {"total_amount", "buyer_pay_amount", "receipt_amount", "invoice_amount"})
        EXPECT_EQ(node.at(name), "99.00") << name;
    EXPECT_EQ(node.at("send_pay_date"), "2026-11-17 12:00:00");
    const std::string number(node.at("trade_no").as_string());
    EXPECT_EQ(number.size(), 28U);
    EXPECT_EQ(
        alipay("alipay.trade.query", R"({"out_trade_no":"other","trade_no":")" + number + "\"}")
            .at("out_trade_no"),
        "A1")
        << "trade_no wins";
    EXPECT_EQ(close(), "ACQ.TRADE_STATUS_ERROR");
    EXPECT_EQ(alipay("alipay.trade.query", "{}").at("sub_code"), "ACQ.INVALID_PARAMETER");
}

TEST_F(AlipayMethodsTest, UncertainRulesAreSwitches) {
    set(R"({"alipay_exists_at_once":true,"alipay_close_refusal":"ACQ.REASON_ILLEGAL_STATUS"})");
    order_page("A1");
    EXPECT_EQ(query(), "WAIT_BUYER_PAY");
    EXPECT_EQ(close(), "A1");
    EXPECT_EQ(close(), "ACQ.REASON_ILLEGAL_STATUS");
}

TEST_F(AlipayMethodsTest, TheClockClosesATradeThatWasOpened) {
    order_page("A1", R"(,"time_expire":"2026-11-17 12:15:00")");
    act("A1", "open");
    order_page("A2", R"(,"time_expire":"2026-11-17 12:15:00")");
    now += 15min - 1ms;
    EXPECT_EQ(query(), "WAIT_BUYER_PAY");
    now += 1ms;
    EXPECT_EQ(query(), "TRADE_CLOSED");
    EXPECT_EQ(query("A2"), "ACQ.TRADE_NOT_EXIST");
    act("A1", "pay", 409);
    act("A2", "pay", 409);
    EXPECT_EQ(query("A2"), "ACQ.TRADE_NOT_EXIST");
    set(R"({"pay_after_close":true})");
    act("A1", "pay");
    act("A2", "pay");
    EXPECT_EQ(query(), "TRADE_SUCCESS");
    EXPECT_EQ(query("A2"), "TRADE_SUCCESS");
}

TEST_F(AlipayMethodsTest, AnOrderIsReadStrictly) {
    EXPECT_EQ(page_fault("{}"), "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(order("\"0.00\"")), "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(order("\"1.001\"")), "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(order("\"-1\"")), "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(order("\"100000000.01\"")), "ACQ.TOTAL_FEE_EXCEED");
    EXPECT_EQ(page_fault(order("1", R"(,"time_expire":"2026-11-17 12:00:00")")),
              "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(order("1", R"(,"time_expire":"2026-12-17 12:00:00")")),
              "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(order("1", R"(,"timeout_express":"1.5h")")), "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(R"({"out_trade_no":"A-1","product_code":"FAST_INSTANT_TRADE_PAY",
                             "subject":"s","total_amount":"1.00"})"),
              "ACQ.INVALID_PARAMETER");
    EXPECT_EQ(page_fault(R"({"out_trade_no":"A1","product_code":"QUICK_WAP_WAY",
                             "subject":"s","total_amount":"1.00"})"),
              "ACQ.INVALID_PARAMETER");
}

TEST_F(AlipayMethodsTest, AmountsMayBeNumbers) {
    for (const char* amount : {"0.1", "\"0.1\"", "\"0.10\""}) {
        EXPECT_EQ(page_fault(order(amount)), "none") << amount;
        EXPECT_EQ(control("GET", "/sandbox/trades/A1").at("amount_fen"), 10) << amount;
    }
    EXPECT_EQ(page_fault(order("99")), "none");
    EXPECT_EQ(control("GET", "/sandbox/trades/A1").at("amount_fen"), 9900);
    EXPECT_EQ(page_fault(order("100000000.00")), "none");
    EXPECT_EQ(control("GET", "/sandbox/trades/A1").at("amount_fen"), 10'000'000'000);
}

TEST_F(AlipayMethodsTest, TheSameOrderAgainOpensTheSamePage) {
    const std::string code = order_page("A1");
    EXPECT_EQ(order_page("A1"), code);
    EXPECT_NE(order_page("A1", R"(,"body":"other")"), code) << "does not exist yet";
    EXPECT_EQ(order_page("A1"), order_page("A1"));
    act("A1", "open");
    EXPECT_FALSE(order_page("A1").empty());
    EXPECT_EQ(page_fault(order("99")), "ACQ.CONTEXT_INCONSISTENT");
    act("A1", "pay");
    EXPECT_EQ(page_fault(order("99")), "ACQ.TRADE_HAS_SUCCESS");
    act("A1", "finish");
    EXPECT_EQ(page_fault(order("99")), "ACQ.TRADE_HAS_FINISHED");
    order_page("A2");
    act("A2", "open");
    EXPECT_EQ(close("A2"), "A2");
    EXPECT_EQ(order_page("A2"), "");
}

TEST_F(AlipayMethodsTest, RefundsAddUpAndAreDoneOnce) {
    pay_one();
    EXPECT_EQ(refund_words("30.00", "R1"), "Y 30.00");
    EXPECT_EQ(query(), "TRADE_SUCCESS");
    EXPECT_EQ(refund_words("30", "R1"), "N 30.00") << "a repetition moves nothing";
    EXPECT_EQ(refund_words("31.00", "R1"), "ACQ.DISCORDANT_REPEAT_REQUEST");
    EXPECT_EQ(refund_words("69.01", "R2"), "ACQ.REASON_TRADE_REFUND_FEE_ERR");
    EXPECT_EQ(refund_words("50.00"), "ACQ.REFUND_AMT_NOT_EQUAL_TOTAL");
    EXPECT_EQ(refund("50.00").at("refund_fee"), "0.00");
    EXPECT_EQ(refund_words("69.00", "R2"), "Y 99.00");
    EXPECT_EQ(query(), "TRADE_CLOSED");
    EXPECT_EQ(refund_words("69.00", "R2"), "N 99.00");
    EXPECT_EQ(refund_words("0.01", "R3"), "ACQ.REASON_TRADE_REFUND_FEE_ERR");
    EXPECT_EQ(query_refund("R2").at("refund_amount"), "69.00");
    EXPECT_EQ(query_refund("R2").at("refund_status"), "REFUND_SUCCESS");
    EXPECT_FALSE(query_refund("R3").contains("refund_status"));
    EXPECT_EQ(query_refund("R3").at("code"), "10000");
}

TEST_F(AlipayMethodsTest, OnlyPaidTradesAreRefunded) {
    EXPECT_EQ(refund_words("99.00"), "ACQ.TRADE_NOT_EXIST");
    order_page("A1");
    EXPECT_EQ(refund_words("99.00"), "ACQ.TRADE_NOT_EXIST");
    act("A1", "open");
    EXPECT_EQ(refund_words("99.00"), "ACQ.TRADE_STATUS_ERROR");
    act("A1", "pay");
    EXPECT_EQ(refund_words("x"), "ACQ.INVALID_PARAMETER");
    act("A1", "finish");
    EXPECT_EQ(refund_words("99.00"), "ACQ.TRADE_HAS_FINISHED");
    EXPECT_EQ(query(), "TRADE_FINISHED");
}

TEST_F(AlipayMethodsTest, AFullRefundNeedsNoNumber) {
    pay_one();
    EXPECT_EQ(refund_words("99.00"), "Y 99.00");
    EXPECT_EQ(refund_words("99.00"), "N 99.00");
    EXPECT_EQ(query_refund("A1").at("refund_status"), "REFUND_SUCCESS");
}

TEST_F(AlipayMethodsTest, ARefundMaySettleLater) {
    set(R"({"alipay_refund_settles_ms":10000})");
    pay_one();
    EXPECT_EQ(refund_words("10.00", "R1"), "N 10.00");
    EXPECT_FALSE(query_refund("R1").contains("refund_status"));
    now += 10s;
    EXPECT_EQ(query_refund("R1").at("refund_status"), "REFUND_SUCCESS");
}

TEST_F(AlipayMethodsTest, TheCashierLeadsBackWithASignature) {
    const std::string code = order_page("A1");
    const response r = send("POST", "/sandbox/cashier/" + code + "/pay");
    ASSERT_EQ(r.status, 302);
    const std::string where(header_of(r.headers, "Location"));
    ASSERT_EQ(where.rfind(std::string(return_url) + "?", 0), 0U) << where;
    const auto form = pay::decode_form(where.substr(where.find('?') + 1));
    EXPECT_EQ(pay::verify_alipay_message(form.fields, pay::test_public_key("platform")),
              pay::authenticity::genuine);
    EXPECT_EQ(form.fields.at("method"), "alipay.trade.page.pay.return");
    EXPECT_EQ(form.fields.at("out_trade_no"), "A1");
    EXPECT_EQ(form.fields.at("total_amount"), "99.00");
    EXPECT_EQ(form.fields.count("trade_status"), 0U);
}

TEST_F(AlipayMethodsTest, TimeoutsAreReadAsWritten) {
    EXPECT_EQ(alipay_timeout("1m", now), now + 1min);
    EXPECT_EQ(alipay_timeout("2h", now), now + 2h);
    EXPECT_EQ(alipay_timeout("15d", now), now + std::chrono::days(15));
    EXPECT_EQ(alipay_timeout("1c", now), pay::parse_beijing_text("2026-11-18 00:00:00"));
    for (const char* text :
         {"", "m", "0m", "-1m", "16d", "1.5h", "1s", "1mm", "21601m", "99999999999m"})
        EXPECT_EQ(alipay_timeout(text, now), std::nullopt) << text;
}

}  // namespace
}  // namespace floodgate::sandbox
