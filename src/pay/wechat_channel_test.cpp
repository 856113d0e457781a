#include "pay/wechat_channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "pay/beijing_time.hpp"
#include "pay/channel_fixture.hpp"
#include "pay/test_data.hpp"
#include "pay/wechat_text.hpp"

namespace floodgate::pay {
namespace {

using namespace std::chrono_literals;
using store::http_answer;
using testing::ElementsAre;

refund_request all_of(const sale::order& o) { return whole_refund(o, trade_number(o) + "R1"); }

class WechatChannelTest : public testing::Test {
protected:
    WechatChannelTest() : order(order_made_at(clock.now())) {}

    http_answer reply(int status, const std::string& body, const std::string& by = "platform",
                      std::string serial = "") const {
        if (serial.empty()) serial = test_line("test_only_platform.serial.txt");
        const wechat_seal seal = sign_wechat_message(body, {"", serial, test_private_key(by)},
                                                     clock.now(), "0123456789abcdef");
        return answer_of(status, body,
                         {{"wechatpay-timestamp", seal.timestamp},
                          {"wechatpay-nonce", seal.nonce},
                          {"wechatpay-signature", seal.signature},
                          {"wechatpay-serial", seal.serial}});
    }
    std::string trade_body(const std::string& state, const std::string& more = "") const {
        return fmt::format(R"({{"appid":"wx0000000000000001","mchid":"1900000001",)"
                           R"("out_trade_no":"{}","trade_state":"{}"{}}})",
                           trade_number(order), state, more);
    }
    static std::string amount(std::int64_t total, const std::string& currency = "CNY") {
        return fmt::format(R"(,"amount":{{"total":{},"payer_total":1,"currency":"{}"}})", total,
                           currency);
    }
    static std::string failure(const std::string& code) {
        return fmt::format(R"({{"code":"{}","message":"no"}})", code);
    }
    std::string refund_body(const std::string& status, std::int64_t refund = 9900) const {
        return fmt::format(R"({{"out_refund_no":"{}","out_trade_no":"{}","status":"{}",)"
                           R"("amount":{{"total":9900,"refund":{}}}}})",
                           all_of(order).number, trade_number(order), status, refund);
    }
    trade asked_about(int status, const std::string& body) {
        net.will_answer(reply(status, body));
        return channel->query(order);
    }
    std::vector<std::string> asked() const {
        std::vector<std::string> all;
        for (const auto& q : net.asked) {
            check_seal(q);
            all.push_back(q.verb + " " + q.url.substr(std::string("http://127.0.0.1:1").size()));
        }
        return all;
    }
    void check_seal(const store::http_question& q) const {
        const auto seal = parse_authorization(q.headers.at(0).second);
        ASSERT_TRUE(seal);
        EXPECT_EQ(seal->mch_id, "1900000001");
        const keys_by_serial merchant{
            {test_line("test_only_merchant.serial.txt"), test_public_key("merchant")}};
        const std::string target = q.url.substr(std::string("http://127.0.0.1:1").size());
        EXPECT_EQ(verify_wechat_request({q.verb, target, q.body}, *seal, merchant, clock.now()),
                  authenticity::genuine);
    }
    // Every way in which a reply with this content cannot be believed.
    std::vector<std::pair<const char*, http_answer>> spoiled(int status,
                                                             const std::string& body) const {
        http_answer altered = reply(status, body);
        altered.body += " ";
        http_answer probe = reply(status, body);
        probe.headers[2].second = "WECHATPAY/SIGNTEST/" + probe.headers[2].second;
        http_answer stale = reply(status, body);
        stale.headers[0].second = "1000000000";
        return {{"none", no_answer()},
                {"500", answer_of(500, "Internal Server Error")},
                {"rubbish", answer_of(status, "<html>busy</html>")},
                {"signed rubbish", reply(status, "busy")},
                {"unsigned", answer_of(status, body)},
                {"other key", reply(status, body, "other")},
                {"unknown serial", reply(status, body, "platform", "ABCDEF")},
                {"altered", altered},
                {"probe", probe},
                {"stale", stale}};
    }

    manual_clock clock{*parse_beijing_text("2026-11-17 12:00:00")};
    sale::order order;
    key_directory keys;
    scripted_caller net;
    const std::unique_ptr<pay::channel> channel = open_wechat(keys.wechat(), net, clock);
};

TEST_F(WechatChannelTest, BeginOrdersACode) {
    net.will_answer(reply(200, R"({"code_url":"weixin://wxpay/bizpayurl?pr=1"})"));
    const auto begun = channel->begin(order);
    ASSERT_TRUE(begun);
    EXPECT_EQ(begun->code_url, "weixin://wxpay/bizpayurl?pr=1");
    EXPECT_FALSE(begun->paid);
    EXPECT_THAT(asked(), ElementsAre("POST /v3/pay/transactions/native"));
    EXPECT_EQ(
        net.asked[0].body,
        R"({"appid":"wx0000000000000001","mchid":"1900000001",)"
        R"("description":"Order 382100000000000123","out_trade_no":"382100000000000123",)"
        R"("time_expire":"2026-11-17T12:15:00+08:00","notify_url":"http://127.0.0.1:1/wechat",)"
        R"("amount":{"total":9900,"currency":"CNY"}})");
    order.amount = {};
    EXPECT_EQ(channel->begin(order).error(), errc::invalid);
}

TEST_F(WechatChannelTest, BeginSaysWhenTheChannelCannotBeReached) {
    for (auto& [how, answer] : spoiled(200, R"({"code_url":"weixin://1"})")) {
        net.will_answer(answer);
        EXPECT_EQ(channel->begin(order).error(), errc::store_unavailable) << how;
    }
    for (const char* body : {"{}", R"({"code_url":""})", R"({"code_url":7})"}) {
        net.will_answer(reply(200, body));
        EXPECT_EQ(channel->begin(order).error(), errc::store_unavailable) << body;
    }
    net.will_answer(reply(401, failure("SIGN_ERROR")));
    EXPECT_EQ(channel->begin(order).error(), errc::store_unavailable);
}

TEST_F(WechatChannelTest, BeginOfATradeThatWasPaidOrClosedMeanwhile) {
    const auto begins = [&](const char* code, const std::string& then) {
        net.will_answer(reply(400, failure(code)));
        net.will_answer(reply(200, then));
        return channel->begin(order);
    };
    EXPECT_EQ(begins("ORDER_CLOSED", trade_body("CLOSED")).error(), errc::conflict);
    EXPECT_EQ(begins("INVALID_REQUEST", trade_body("NOTPAY")).error(), errc::store_unavailable);
    const auto paid = begins("OUT_TRADE_NO_USED", trade_body("SUCCESS", amount(9900)));
    ASSERT_TRUE(paid);
    EXPECT_TRUE(paid->paid);
}

TEST_F(WechatChannelTest, QueryTellsTheStatesApart) {
    EXPECT_EQ(asked_about(200, trade_body("NOTPAY")), trade::open);
    EXPECT_THAT(asked(), ElementsAre("GET /v3/pay/transactions/out-trade-no/382100000000000123"
                                     "?mchid=1900000001"));
    EXPECT_EQ(asked_about(200, trade_body("USERPAYING")), trade::open);
    EXPECT_EQ(asked_about(200, trade_body("PAYERROR")), trade::open);
    EXPECT_EQ(asked_about(200, trade_body("SUCCESS", amount(9900))), trade::paid);
    EXPECT_EQ(asked_about(200, trade_body("CLOSED")), trade::closed);
    EXPECT_EQ(asked_about(200, trade_body("REVOKED")), trade::unsure);
    EXPECT_EQ(asked_about(200, trade_body("")), trade::unsure);
    EXPECT_EQ(asked_about(202, trade_body("CLOSED")), trade::unsure);
    EXPECT_EQ(asked_about(500, failure("SYSTEM_ERROR")), trade::unsure);
    EXPECT_EQ(asked_about(500, failure("ORDER_NOT_EXIST")), trade::unsure);
}

// The state does not say how much of the money went back, and only trades whose payment the ledger
// does not know are asked for.
TEST_F(WechatChannelTest, ATradeThatSomebodyElseRefundedIsUnsureAndLogged) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(asked_about(200, trade_body("REFUND", amount(9900))), trade::unsure);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("trade_state"));
    EXPECT_EQ(net.asked.size(), 1U);
}

TEST_F(WechatChannelTest, EveryPartOfARefundHasItsNumberAndItsAmount) {
    const auto refunds = [&](const refund_request& r, std::int64_t said) {
        net.forget();
        net.will_answer(reply(
            200, fmt::format(R"({{"out_refund_no":"{}","out_trade_no":"{}","status":"SUCCESS",)"
                             R"("amount":{{"total":9900,"refund":{}}}}})",
                             r.number, trade_number(order), said)));
        return channel->refund(order, r);
    };
    const refund_request first{"382100000000000123R1", {900}, {}, std::string(100, 'x')},
        second{"382100000000000123R2", {9000}, {}, ""};
    EXPECT_EQ(refunds(first, 900), refund_answer::done);
    EXPECT_THAT(net.asked[0].body, testing::HasSubstr(R"("refund":900,"total":9900)"));
    EXPECT_THAT(net.asked[0].body,
                testing::HasSubstr(R"("reason":")" + std::string(80, 'x') + "\""))
        << "WeChat Pay takes 80 bytes";
    EXPECT_EQ(refunds(first, 9000), refund_answer::unsure) << "that is another one";
    EXPECT_EQ(refunds(second, 9000), refund_answer::done);
}

TEST_F(WechatChannelTest, APaymentOfAnotherAmountCurrencyOrOrderIsUnsure) {
    for (const std::int64_t total : {9899, 9901, 99, 0})
        EXPECT_EQ(asked_about(200, trade_body("SUCCESS", amount(total))), trade::unsure) << total;
    EXPECT_EQ(asked_about(200, trade_body("SUCCESS", amount(9900, "USD"))), trade::unsure);
    EXPECT_EQ(asked_about(200, trade_body("SUCCESS")), trade::unsure);
    for (const char* name : {"appid", "mchid", "out_trade_no"})
        for (const char* state : {"NOTPAY", "SUCCESS", "CLOSED"}) {
            std::string body = trade_body(state, amount(9900));
            body.insert(body.find(name) + std::string(name).size() + 3, "9");
            EXPECT_EQ(asked_about(200, body), trade::unsure) << body;
        }
}

TEST_F(WechatChannelTest, AMissingTradeIsAbsentOnlyAMinuteAfterTheDeadline) {
    for (const char* code : {"ORDER_NOT_EXIST", "ORDERNOTEXIST"}) {
        clock.set(order.pay_by + 60s);
        EXPECT_EQ(asked_about(404, failure(code)), trade::open);
        clock.advance(1ms);
        EXPECT_EQ(asked_about(404, failure(code)), trade::absent);
    }
    EXPECT_EQ(asked_about(404, failure("NOT_FOUND")), trade::unsure);
    for (auto& [how, answer] : spoiled(404, failure("ORDER_NOT_EXIST"))) {
        net.will_answer(answer);
        EXPECT_EQ(channel->query(order), trade::unsure) << how;
    }
}

TEST_F(WechatChannelTest, AnAnswerThatCannotBeBelievedDecidesNothing) {
    clock.set(order.pay_by + 1h);
    for (const std::string& body : {trade_body("SUCCESS", amount(9900)), trade_body("CLOSED")})
        for (auto& [how, answer] : spoiled(200, body)) {
            net.will_answer(answer);
            EXPECT_EQ(channel->query(order), trade::unsure) << how;
        }
    for (auto& [how, answer] : spoiled(204, "")) {
        net.forget();
        net.will_answer(answer);
        EXPECT_EQ(channel->close(order), trade::unsure) << how;
        EXPECT_EQ(net.asked.size(), 1U) << how;
    }
    for (auto& [how, answer] : spoiled(200, refund_body("SUCCESS"))) {
        net.will_answer(answer);
        EXPECT_EQ(channel->refund(order, all_of(order)), refund_answer::unsure) << how;
    }
}

TEST_F(WechatChannelTest, EitherPlatformKeyCountsWhileTheyChange) {
    const std::string body = trade_body("CLOSED");
    net.will_answer(reply(200, body, "other", "PUB_KEY_ID_0000000000000000000001"));
    EXPECT_EQ(channel->query(order), trade::closed);
    net.will_answer(reply(200, body, "platform", "PUB_KEY_ID_0000000000000000000001"));
    EXPECT_EQ(channel->query(order), trade::unsure);
}

TEST_F(WechatChannelTest, AfterACloseTheTradeItselfDecides) {
    const auto closes = [&](int status, const std::string& body, int then_status,
                            const std::string& then) {
        net.forget();
        net.will_answer(reply(status, body));
        net.will_answer(reply(then_status, then));
        return channel->close(order);
    };
    EXPECT_EQ(closes(204, "", 200, trade_body("CLOSED")), trade::closed);
    EXPECT_THAT(asked(),
                ElementsAre("POST /v3/pay/transactions/out-trade-no/382100000000000123/close",
                            "GET /v3/pay/transactions/out-trade-no/382100000000000123"
                            "?mchid=1900000001"));
    EXPECT_EQ(net.asked[0].body, R"({"mchid":"1900000001"})");
    EXPECT_EQ(closes(204, "", 200, trade_body("SUCCESS", amount(9900))), trade::paid);
    EXPECT_EQ(closes(204, "", 200, trade_body("NOTPAY")), trade::unsure);
    EXPECT_EQ(closes(204, "", 404, failure("ORDER_NOT_EXIST")), trade::unsure);
    EXPECT_EQ(closes(400, failure("ORDERPAID"), 200, trade_body("SUCCESS", amount(9900))),
              trade::paid);
    EXPECT_EQ(closes(202, failure("USER_PAYING"), 200, trade_body("NOTPAY")), trade::unsure);
    EXPECT_EQ(closes(429, failure("FREQUENCY_LIMITED"), 200, trade_body("NOTPAY")), trade::unsure);
    clock.set(order.pay_by + 61s);
    EXPECT_EQ(closes(204, "", 404, failure("ORDER_NOT_EXIST")), trade::absent);
}

TEST_F(WechatChannelTest, ARefundIsDoneWhenItSucceededInFull) {
    const auto refunds = [&](int status, const std::string& body) {
        net.forget();
        net.will_answer(reply(status, body));
        return channel->refund(order, all_of(order));
    };
    EXPECT_EQ(refunds(200, refund_body("SUCCESS")), refund_answer::done);
    EXPECT_THAT(asked(), ElementsAre("POST /v3/refund/domestic/refunds"));
    EXPECT_EQ(net.asked[0].body,
              R"({"out_trade_no":"382100000000000123","out_refund_no":"382100000000000123R1",)"
              R"("notify_url":"http://127.0.0.1:1/wechat",)"
              R"("amount":{"refund":9900,"total":9900,"currency":"CNY"}})");
    EXPECT_EQ(refunds(200, refund_body("PROCESSING")), refund_answer::under_way);
    EXPECT_EQ(refunds(200, refund_body("CLOSED")), refund_answer::closed);
    EXPECT_EQ(refunds(200, refund_body("ABNORMAL")), refund_answer::abnormal);
    for (const char* status : {"", "success", "REFUND"})
        EXPECT_EQ(refunds(200, refund_body(status)), refund_answer::unsure) << status;
    EXPECT_EQ(refunds(200, refund_body("SUCCESS", 9800)), refund_answer::unsure);
    EXPECT_EQ(refunds(500, failure("SYSTEM_ERROR")), refund_answer::unsure);
    EXPECT_EQ(net.asked.size(), 1U);
}

TEST_F(WechatChannelTest, ARefusedRefundIsLookedUp) {
    const auto refunds = [&](int status, const std::string& then) {
        net.forget();
        net.will_answer(reply(400, failure("INVALID_REQUEST")));
        net.will_answer(reply(status, then));
        return channel->refund(order, all_of(order));
    };
    EXPECT_EQ(refunds(200, refund_body("SUCCESS")), refund_answer::done);
    EXPECT_THAT(asked(), ElementsAre("POST /v3/refund/domestic/refunds",
                                     "GET /v3/refund/domestic/refunds/382100000000000123R1"));
    EXPECT_EQ(refunds(200, refund_body("PROCESSING")), refund_answer::under_way);
    EXPECT_EQ(refunds(404, failure("RESOURCE_NOT_EXISTS")), refund_answer::unsure);
}

TEST_F(WechatChannelTest, NoLogLineHoldsASignatureOrABody) {
    testing::internal::CaptureStderr();
    for (auto& [how, answer] : spoiled(200, trade_body("CLOSED"))) {
        asked_about(200, trade_body("SUCCESS", amount(1)));  // so that each is logged
        net.will_answer(answer);
        channel->query(order);
    }
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_THAT(lines, testing::HasSubstr("pay.wechat_failed"));
    EXPECT_THAT(lines, testing::HasSubstr("pay.reply_mismatched"));
    for (const auto& q : net.asked) {
        const auto seal = parse_authorization(q.headers.at(0).second);
        EXPECT_EQ(lines.find(seal->signature.substr(0, 20)), std::string::npos);
    }
    for (const char* word : {"WECHATPAY2", "SIGNTEST", "trade_state", "busy", "127.0.0.1"})
        EXPECT_EQ(lines.find(word), std::string::npos) << word;
}

TEST_F(WechatChannelTest, AMessageIsAnsweredWithNothingOrAFailure) {
    EXPECT_TRUE(channel->sends_messages());
    EXPECT_EQ(channel->answer(true).status, 200U);
    EXPECT_EQ(channel->answer(true).body, "");
    EXPECT_EQ(channel->answer(false).status, 400U);
    EXPECT_EQ(channel->answer(false).content_type, "application/json");
    EXPECT_EQ(channel->answer(false).body, R"({"code":"FAIL","message":"not accepted"})");
}

}  // namespace
}  // namespace floodgate::pay
