#include "pay/alipay_channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "pay/alipay_response.hpp"
#include "pay/alipay_text.hpp"
#include "pay/beijing_time.hpp"
#include "pay/call_recording.hpp"
#include "pay/channel_fixture.hpp"
#include "pay/test_data.hpp"

namespace floodgate::pay {
namespace {

using namespace std::chrono_literals;
using store::http_answer;
using testing::ElementsAre;
using testing::HasSubstr;

refund_request all_of(const sale::order& o) { return whole_refund(o, trade_number(o) + "R1"); }

constexpr const char* query_method = "alipay.trade.query";
constexpr const char* close_method = "alipay.trade.close";
constexpr const char* refund_method = "alipay.trade.refund";
constexpr const char* refund_query_method = "alipay.trade.fastpay.refund.query";

http_answer signed_reply(const std::string& method, const std::string& node,
                         const std::string& by = "platform") {
    return answer_of(200, sign_alipay_response(method, node, test_private_key(by)));
}

class AlipayChannelTest : public testing::Test {
protected:
    AlipayChannelTest() : order(order_made_at(clock.now())) {}

    std::string number() const { return trade_number(order); }
    std::string success(const std::string& more) const {
        return fmt::format(R"({{"code":"10000","msg":"Success","out_trade_no":"{}"{}}})", number(),
                           more);
    }
    std::string with_status(const std::string& status, const std::string& amount = "99.00") const {
        return success(fmt::format(R"(,"trade_status":"{}","total_amount":"{}")", status, amount));
    }
    static std::string failure(const std::string& sub_code, const std::string& code = "40004") {
        return fmt::format(R"({{"code":"{}","msg":"Failed","sub_code":"{}"}})", code, sub_code);
    }
    std::string moved(const std::string& fund_change) const {
        return success(fmt::format(R"(,"fund_change":"{}","refund_fee":"99.00")", fund_change));
    }
    std::string refunded(const std::string& amount = "99.00",
                         const std::string& status = "REFUND_SUCCESS") const {
        return success(fmt::format(R"(,"out_request_no":"{}","refund_amount":"{}",)"
                                   R"("refund_status":"{}")",
                                   all_of(order).number, amount, status));
    }
    void hears(const std::string& method, const std::string& node) {
        net.will_answer(signed_reply(method, node));
    }
    trade asked_about(const std::string& node) {
        hears(query_method, node);
        return channel->query(order);
    }
    std::vector<std::string> methods_asked() const {
        std::vector<std::string> all;
        for (const auto& q : net.asked) all.push_back(sent(q).at("method"));
        return all;
    }
    // Everything that was sent, as the gateway sees it.
    static parameters sent(const store::http_question& q) {
        parameters all = decode_form(q.url.substr(q.url.find('?') + 1)).fields;
        EXPECT_TRUE(add_fields(all, decode_form(q.body).fields));
        EXPECT_EQ(verify_alipay_request(all, test_public_key("merchant")), authenticity::genuine);
        return all;
    }
    // Every way in which a reply with this content cannot be believed.
    static std::vector<std::pair<const char*, http_answer>> spoiled(const std::string& method,
                                                                    const std::string& node) {
        const std::string good = sign_alipay_response(method, node, test_private_key("platform"));
        std::string altered = good;
        altered.insert(altered.find("\"msg\""), " ");
        return {
            {"none", no_answer()},
            {"500", answer_of(500, good)},
            {"redirect", answer_of(302, good)},
            {"rubbish", answer_of(200, "<html>busy</html>")},
            {"empty", answer_of(200, "")},
            {"unsigned", answer_of(200, "{\"" + alipay_response_key(method) + "\":" + node + "}")},
            {"other key", signed_reply(method, node, "other")},
            {"own key", signed_reply(method, node, "merchant")},
            {"altered", answer_of(200, altered)},
            {"other method", signed_reply("alipay.trade.pay", node)}};
    }

    manual_clock clock{*parse_beijing_text("2026-11-17 12:00:00")};
    sale::order order;
    key_directory keys;
    scripted_caller net;
    const std::unique_ptr<pay::channel> channel = open_alipay(keys.alipay(), net, clock);
};

TEST_F(AlipayChannelTest, BeginSignsThePageWithoutAskingTheNetwork) {
    const auto begun = channel->begin(order);
    ASSERT_TRUE(begun);
    EXPECT_FALSE(begun->paid);
    EXPECT_EQ(begun->code_url, "");
    EXPECT_TRUE(begun->redirect.starts_with("http://127.0.0.1:1/gateway.do?"));
    EXPECT_THAT(begun->form, HasSubstr("<form"));
    EXPECT_TRUE(net.asked.empty());
    const parameters page = sent({.url = begun->redirect});
    EXPECT_EQ(page.at("method"), "alipay.trade.page.pay");
    EXPECT_EQ(page.at("app_id"), "2021000000000001");
    EXPECT_EQ(page.at("timestamp"), "2026-11-17 12:00:00");
    EXPECT_EQ(page.at("notify_url"), "http://127.0.0.1:1/alipay");
    EXPECT_EQ(page.at("return_url"), "http://127.0.0.1:1/return");
    EXPECT_EQ(page.at("biz_content"),
              R"({"out_trade_no":"382100000000000123","product_code":"FAST_INSTANT_TRADE_PAY",)"
              R"("total_amount":"99.00","subject":"Order 382100000000000123",)"
              R"("time_expire":"2026-11-17 12:15:00"})");
}

TEST_F(AlipayChannelTest, BeginAgainIsTheSameTrade) {
    const auto first = channel->begin(order);
    clock.advance(5min);
    const auto second = channel->begin(order);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(sent({.url = first->redirect}).at("biz_content"),
              sent({.url = second->redirect}).at("biz_content"));
}

TEST_F(AlipayChannelTest, NothingToPayCannotBeBegun) {
    order.amount = {};
    EXPECT_EQ(channel->begin(order).error(), errc::invalid);
}

TEST_F(AlipayChannelTest, ACallIsAPostedForm) {
    EXPECT_EQ(asked_about(with_status("WAIT_BUYER_PAY")), trade::open);
    ASSERT_EQ(net.asked.size(), 1U);
    const store::http_question& q = net.asked[0];
    EXPECT_EQ(q.verb, "POST");
    EXPECT_TRUE(q.url.starts_with("http://127.0.0.1:1/gateway.do?app_id="));
    EXPECT_TRUE(q.body.starts_with("biz_content="));
    EXPECT_EQ(q.headers[0].second, "application/x-www-form-urlencoded;charset=utf-8");
    EXPECT_EQ(sent(q).at("biz_content"), R"({"out_trade_no":"382100000000000123"})");
}

TEST_F(AlipayChannelTest, QueryTellsTheStatesApart) {
    EXPECT_EQ(asked_about(with_status("WAIT_BUYER_PAY")), trade::open);
    EXPECT_EQ(asked_about(with_status("TRADE_SUCCESS")), trade::paid);
    EXPECT_EQ(asked_about(with_status("TRADE_FINISHED")), trade::paid);
    EXPECT_EQ(asked_about(with_status("TRADE_CLOSED")), trade::closed);
    EXPECT_EQ(asked_about(with_status("TRADE_PENDING")), trade::unsure);
    EXPECT_EQ(asked_about(success("")), trade::unsure);
    EXPECT_EQ(asked_about(failure("ACQ.SYSTEM_ERROR")), trade::unsure);
    EXPECT_EQ(asked_about(failure("ACQ.INVALID_PARAMETER")), trade::unsure);
    EXPECT_EQ(asked_about(failure("isp.unknow-error", "20000")), trade::unsure);
    EXPECT_EQ(asked_about(failure("isv.invalid-signature", "40002")), trade::unsure);
}

TEST_F(AlipayChannelTest, APaymentOfAnotherAmountOrOrderIsUnsure) {
    EXPECT_EQ(asked_about(with_status("TRADE_SUCCESS", "99")), trade::paid);
    for (const char* amount : {"98.99", "99.01", "0.99", "9900.00", "", "99.000", "-99.00"})
        EXPECT_EQ(asked_about(with_status("TRADE_SUCCESS", amount)), trade::unsure) << amount;
    for (const char* status : {"WAIT_BUYER_PAY", "TRADE_SUCCESS", "TRADE_CLOSED"}) {
        const std::string node = with_status(status);
        order.no.value += 1;
        EXPECT_EQ(asked_about(node), trade::unsure) << status;
        order.no.value -= 1;
    }
}

TEST_F(AlipayChannelTest, AMissingTradeIsAbsentOnlyAMinuteAfterTheDeadline) {
    const std::string missing = failure("ACQ.TRADE_NOT_EXIST");
    EXPECT_EQ(asked_about(missing), trade::open);
    clock.set(order.pay_by + 60s);
    EXPECT_EQ(asked_about(missing), trade::open);
    clock.advance(1ms);
    EXPECT_EQ(asked_about(missing), trade::absent);
    for (auto& [how, reply] : spoiled(query_method, missing)) {
        net.will_answer(reply);
        EXPECT_EQ(channel->query(order), trade::unsure) << how;
    }
}

TEST_F(AlipayChannelTest, AnAnswerThatCannotBeBelievedDecidesNothing) {
    clock.set(order.pay_by + 1h);
    for (const char* status : {"WAIT_BUYER_PAY", "TRADE_SUCCESS", "TRADE_CLOSED"})
        for (auto& [how, reply] : spoiled(query_method, with_status(status))) {
            net.will_answer(reply);
            EXPECT_EQ(channel->query(order), trade::unsure) << status << ' ' << how;
        }
    for (auto& [how, reply] : spoiled(close_method, success(""))) {
        net.will_answer(reply);
        EXPECT_EQ(channel->close(order), trade::unsure) << how;
    }
    for (auto& [how, reply] : spoiled(refund_method, moved("Y"))) {
        net.will_answer(reply);
        EXPECT_EQ(channel->refund(order, all_of(order)), refund_answer::unsure) << how;
    }
    for (auto& [how, reply] : spoiled(refund_query_method, refunded())) {
        hears(refund_method, moved("N"));
        net.will_answer(reply);
        EXPECT_EQ(channel->refund(order, all_of(order)), refund_answer::unsure) << how;
    }
}

TEST_F(AlipayChannelTest, AfterACloseTheTradeItselfDecides) {
    const auto closes = [&](const std::string& reply, const std::string& then) {
        hears(close_method, reply);
        hears(query_method, then);
        return channel->close(order);
    };
    const std::string missing = failure("ACQ.TRADE_NOT_EXIST");
    EXPECT_EQ(closes(success(""), with_status("TRADE_CLOSED")), trade::closed);
    EXPECT_THAT(methods_asked(), ElementsAre(close_method, query_method));
    EXPECT_EQ(closes(success(""), with_status("TRADE_SUCCESS")), trade::paid);
    EXPECT_EQ(closes(success(""), with_status("WAIT_BUYER_PAY")), trade::unsure);
    EXPECT_EQ(closes(success(""), failure("ACQ.SYSTEM_ERROR")), trade::unsure);
    EXPECT_EQ(closes(failure("ACQ.TRADE_STATUS_ERROR"), with_status("TRADE_SUCCESS")), trade::paid);
    EXPECT_EQ(closes(failure("ACQ.REASON_ILLEGAL_STATUS"), with_status("TRADE_CLOSED")),
              trade::closed);
    EXPECT_EQ(closes(missing, missing), trade::unsure);
    clock.set(order.pay_by + 61s);
    EXPECT_EQ(closes(missing, missing), trade::absent);
    net.forget();
    hears(close_method, success(""));
    EXPECT_EQ(channel->close(order), trade::unsure) << "the query was not answered";
}

TEST_F(AlipayChannelTest, ARefundIsDoneWhenTheMoneyMoved) {
    hears(refund_method, moved("Y"));
    EXPECT_EQ(channel->refund(order, all_of(order)), refund_answer::done);
    ASSERT_THAT(methods_asked(), ElementsAre(refund_method));
    EXPECT_EQ(sent(net.asked[0]).at("biz_content"),
              R"({"out_trade_no":"382100000000000123","out_request_no":"382100000000000123R1",)"
              R"("refund_amount":"99.00"})");
}

TEST_F(AlipayChannelTest, ARefundThatMovedNothingIsDoneOnlyIfItsQuerySaysSo) {
    const auto refunds = [&](const std::string& reply, const std::string& then) {
        net.forget();
        hears(refund_method, reply);
        hears(refund_query_method, then);
        return channel->refund(order, all_of(order));
    };
    EXPECT_EQ(refunds(moved("N"), refunded()), refund_answer::done);
    EXPECT_THAT(methods_asked(), ElementsAre(refund_method, refund_query_method));
    EXPECT_EQ(sent(net.asked[1]).at("biz_content"),
              R"({"out_trade_no":"382100000000000123","out_request_no":"382100000000000123R1"})");
    EXPECT_EQ(refunds(success(""), refunded()), refund_answer::done);
    EXPECT_EQ(refunds(failure("ACQ.TRADE_HAS_CLOSE"), refunded()), refund_answer::done);
    EXPECT_EQ(refunds(moved("N"), success("")), refund_answer::unsure);
    EXPECT_EQ(refunds(moved("N"), refunded("98.00")), refund_answer::unsure);
    EXPECT_EQ(refunds(moved("N"), refunded("99.00", "REFUND_PROCESSING")), refund_answer::unsure);
    EXPECT_EQ(refunds(moved("N"), refunded("99.00", "")), refund_answer::unsure);
    EXPECT_EQ(refunds(moved("N"), failure("ACQ.SYSTEM_ERROR")), refund_answer::unsure);
    EXPECT_EQ(refunds(failure("ACQ.SELLER_BALANCE_NOT_ENOUGH"), success("")),
              refund_answer::unsure);
    // Less was moved than was asked for.
    EXPECT_EQ(refunds(success(R"(,"fund_change":"Y","refund_fee":"98.00")"), success("")),
              refund_answer::unsure);
}

// refund_fee is the sum of all refunds of the trade. It says nothing about one of several.
TEST_F(AlipayChannelTest, APartIsDoneOnlyIfItsQuerySaysSo) {
    const refund_request part{all_of(order).number, {900}, {}, "a scratch"};
    const auto refunds = [&](const std::string& fee, const std::string& then) {
        net.forget();
        hears(refund_method, success(R"(,"fund_change":"Y","refund_fee":")" + fee + "\""));
        hears(refund_query_method, then);
        return channel->refund(order, part);
    };
    EXPECT_EQ(refunds("9.00", success("")), refund_answer::unsure) << "it may be an earlier one's";
    EXPECT_EQ(refunds("99.00", success("")), refund_answer::unsure);
    EXPECT_EQ(refunds("9.00", refunded("9.00")), refund_answer::done);
    EXPECT_EQ(refunds("18.00", refunded("9.00")), refund_answer::done) << "the second such part";
    EXPECT_EQ(refunds("18.00", refunded("18.00")), refund_answer::unsure);
    EXPECT_THAT(methods_asked(), ElementsAre(refund_method, refund_query_method));
    EXPECT_EQ(sent(net.asked[0]).at("biz_content"),
              R"({"out_trade_no":"382100000000000123","out_request_no":"382100000000000123R1",)"
              R"("refund_amount":"9.00","refund_reason":"a scratch"})");
}

TEST_F(AlipayChannelTest, ARefundOfUnknownOutcomeIsAskedAgainWithTheSameNumber) {
    for (const auto& reply : {failure("isp.unknow-error", "20000"), failure("ACQ.SYSTEM_ERROR")}) {
        hears(refund_method, reply);
        EXPECT_EQ(channel->refund(order, all_of(order)), refund_answer::unsure);
    }
    EXPECT_THAT(methods_asked(), ElementsAre(refund_method, refund_method));
    EXPECT_EQ(sent(net.asked[0]).at("biz_content"), sent(net.asked[1]).at("biz_content"));
}

TEST_F(AlipayChannelTest, NoLogLineHoldsASignatureOrABody) {
    testing::internal::CaptureStderr();
    for (auto& [how, reply] : spoiled(query_method, with_status("TRADE_CLOSED"))) {
        hears(query_method, with_status("TRADE_SUCCESS", "1.00"));  // so that each is logged
        net.will_answer(reply);
        channel->query(order);
        channel->query(order);
    }
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_THAT(lines, HasSubstr("pay.alipay_failed"));
    EXPECT_THAT(lines, HasSubstr("pay.reply_mismatched"));
    for (const auto& q : net.asked)
        EXPECT_EQ(lines.find(sent(q).at("sign").substr(0, 20)), std::string::npos);
    for (const char* word : {"sign=", "sign\"", "trade_status", "busy", "gateway.do"})
        EXPECT_EQ(lines.find(word), std::string::npos) << word;
}

TEST_F(AlipayChannelTest, AMessageIsAnsweredWithOneWord) {
    EXPECT_TRUE(channel->sends_messages());
    for (const bool taken : {true, false}) {
        const message_answer a = channel->answer(taken);
        EXPECT_EQ(a.status, 200U);
        EXPECT_EQ(a.content_type, "text/plain");
        EXPECT_EQ(a.body, taken ? "success" : "fail");
    }
}

TEST_F(AlipayChannelTest, EveryCallIsNotedWithTheCodesOfItsAnswer) {
    const call_recording made;
    hears(close_method, failure("ACQ.TRADE_NOT_EXIST"));
    net.will_answer(no_answer());
    EXPECT_EQ(channel->close(order), trade::unsure);
    hears(query_method, with_status("TRADE_SUCCESS"));
    EXPECT_EQ(channel->query(order), trade::paid);
    net.will_answer(signed_reply(query_method, with_status("TRADE_SUCCESS"), "other"));
    EXPECT_EQ(channel->query(order), trade::unsure);
    std::vector<std::string> lines;
    for (const remote_call& c : made.calls())
        lines.push_back(fmt::format("{} {} {}", c.asked, to_text(c.outcome), c.answer));
    EXPECT_THAT(lines, ElementsAre("close refused 40004 ACQ.TRADE_NOT_EXIST",
                                   "query no_answer Timeout was reached",
                                   "query answered 10000 TRADE_SUCCESS", "query garbled "));
}

}  // namespace
}  // namespace floodgate::pay
