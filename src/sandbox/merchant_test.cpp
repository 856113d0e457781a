// The merchant's channels of pay/ meet the sandbox: two sides written from the same fact sheet,
// joined without a network.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/merchant_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;
using pay::refund_answer;
using testing::ElementsAre;

TEST_F(MerchantTest, AlipayIsPaidToldAndRefunded) {
    EXPECT_EQ(alipay->query(order), pay::trade::open) << "no buyer has opened the page";
    const std::string page = open_page();
    now += 1s;
    EXPECT_EQ(open_page(), page) << "beginning again is the same trade";
    act(number(), "pay");
    EXPECT_EQ(alipay->query(order), pay::trade::paid);
    shop_answers(*alipay, true);
    deliver();
    EXPECT_THAT(heard(), ElementsAre("paid"));
    EXPECT_EQ(alipay->refund(order, all_of(order)), refund_answer::done);
    EXPECT_EQ(alipay->refund(order, all_of(order)), refund_answer::done) << "the same refund";
    EXPECT_EQ(alipay->query(order), pay::trade::closed);
    deliver();
    EXPECT_THAT(heard(), ElementsAre("closed"));
    now += 24h;
    deliver();
    EXPECT_THAT(heard(), ElementsAre()) << "every message was taken";
}

TEST_F(MerchantTest, AlipaysFormOpensTheSamePage) {
    const auto begun = alipay->begin(order);
    ASSERT_TRUE(begun);
    const std::string page = open_page();
    // As a browser posts it: the address of the form, and its one field.
    std::string action = begun->form.substr(begun->form.find("action=\"") + 8);
    action.resize(action.find('"'));
    for (std::size_t at = 0; (at = action.find("&amp;", at)) != std::string::npos; ++at)
        action.erase(at + 1, 4);
    const pay::parameters all =
        pay::decode_form(begun->redirect.substr(begun->redirect.find('?') + 1)).fields;
    const response r = send("POST", action.substr(action.find('/', 8)),
                            pay::encode_form({{"biz_content", all.at("biz_content")}}),
                            {{"Content-Type", "application/x-www-form-urlencoded"}});
    EXPECT_EQ(header_of(r.headers, "Location"), page);
}

TEST_F(MerchantTest, AlipaySavedPageKeepsTheTradeOpenUntilTheDeadline) {
    open_page();
    EXPECT_EQ(alipay->query(order), pay::trade::open);
    EXPECT_EQ(alipay->close(order), pay::trade::unsure) << "the page could still be opened";
    act(number(), "pay");
    EXPECT_EQ(alipay->close(order), pay::trade::paid);
}

TEST_F(MerchantTest, AlipayTradeThatNobodyOpenedIsAbsentAfterTheDeadline) {
    open_page();
    now = order.pay_by + 60s + 1ms;
    EXPECT_EQ(alipay->query(order), pay::trade::absent);
    EXPECT_EQ(alipay->close(order), pay::trade::absent);
    act(number(), "pay", 409);
}

TEST_F(MerchantTest, AlipayTradeThatWasDeclinedIsClosed) {
    open_page();
    act(number(), "decline");
    EXPECT_EQ(alipay->query(order), pay::trade::open);
    EXPECT_EQ(alipay->close(order), pay::trade::closed);
    EXPECT_EQ(alipay->close(order), pay::trade::closed);
    act(number(), "pay", 409);
}

TEST_F(MerchantTest, AlipayRefundOfUnknownOutcomeIsFoundDone) {
    open_page();
    act(number(), "pay");
    for (const char* kind : {"http_500", "unavailable", "system_error", "rubbish", "wrong_key"}) {
        trouble("alipay.trade.refund", kind);
        EXPECT_EQ(alipay->refund(order, all_of(order)), refund_answer::unsure) << kind;
    }
    EXPECT_EQ(alipay->refund(order, all_of(order)), refund_answer::done);
    EXPECT_EQ(control("GET", "/sandbox/trades/" + number()).at("refunds").as_array().size(), 1U);
}

TEST_F(MerchantTest, AlipayRefundThatSettlesLaterIsUnsureUntilThen) {
    set(R"({"alipay_refund_settles_ms":5000})");
    open_page();
    act(number(), "pay");
    EXPECT_EQ(alipay->refund(order, all_of(order)), refund_answer::unsure);
    now += 5s;
    EXPECT_EQ(alipay->refund(order, all_of(order)), refund_answer::done);
}

TEST_F(MerchantTest, WechatIsPaidToldAndRefunded) {
    EXPECT_EQ(wechat->query(order), pay::trade::open) << "nothing was ordered yet";
    EXPECT_NE(order_code(), "");
    now += 1s;
    EXPECT_NE(order_code(), "") << "the same trade with a new code";
    EXPECT_EQ(wechat->query(order), pay::trade::open);
    act(number(), "pay");
    EXPECT_EQ(wechat->query(order), pay::trade::paid);
    shop_answers(*wechat, true);
    deliver();
    EXPECT_THAT(heard(), ElementsAre("paid"));
    EXPECT_EQ(wechat->refund(order, all_of(order)), refund_answer::under_way);
    now += 1s;
    EXPECT_EQ(wechat->refund(order, all_of(order)), refund_answer::done);
    EXPECT_EQ(wechat->query(order), pay::trade::unsure) << "it was paid, and money went back";
    deliver();
    EXPECT_THAT(heard(), ElementsAre("closed"));
    now += 24h;
    deliver();
    EXPECT_THAT(heard(), ElementsAre()) << "every message was taken";
}

TEST_F(MerchantTest, WechatTradeIsClosedAndCannotBeBegunAgain) {
    order_code();
    EXPECT_EQ(wechat->close(order), pay::trade::closed);
    EXPECT_EQ(wechat->begin(order).error(), errc::conflict);
    act(number(), "pay", 409);
}

TEST_F(MerchantTest, WechatBeginOfATradeThatWasPaidSaysSo) {
    order_code();
    act(number(), "pay");
    const auto begun = wechat->begin(order);
    ASSERT_TRUE(begun);
    EXPECT_TRUE(begun->paid);
    EXPECT_EQ(wechat->close(order), pay::trade::paid);
}

TEST_F(MerchantTest, WechatCloseOfANumberThatWasNeverOrderedIsNotBelieved) {
    EXPECT_EQ(wechat->close(order), pay::trade::unsure);
    now = order.pay_by + 60s + 1ms;
    EXPECT_EQ(wechat->close(order), pay::trade::absent);
}

TEST_F(MerchantTest, WechatRefundOfUnknownOutcomeIsFoundDone) {
    order_code();
    act(number(), "pay");
    for (const char* kind : {"http_500", "system_error", "rubbish", "unsigned", "wrong_key"}) {
        trouble("wechat.refund", kind);
        EXPECT_EQ(wechat->refund(order, all_of(order)), refund_answer::unsure) << kind;
    }
    now += 1s;
    EXPECT_EQ(wechat->refund(order, all_of(order)), refund_answer::done);
    EXPECT_EQ(control("GET", "/sandbox/trades/" + number()).at("refunds").as_array().size(), 1U);
}

TEST_F(MerchantTest, WechatRefundThatFailsIsNeverDone) {
    for (const auto& [end, said] : {std::pair("CLOSED", refund_answer::closed),
                                    std::pair("ABNORMAL", refund_answer::abnormal)}) {
        order.no.value += 1;
        set(std::string(R"({"wechat_refund_ends_as":")") + end + "\"}");
        order_code();
        act(number(), "pay");
        EXPECT_EQ(wechat->refund(order, all_of(order)), refund_answer::under_way);
        now += 1h;
        EXPECT_EQ(wechat->refund(order, all_of(order)), said) << end;
    }
}

TEST_F(MerchantTest, WechatKeysMayChange) {
    order_code();
    set(R"({"wechat_second_key":true})");
    act(number(), "pay");
    EXPECT_EQ(wechat->query(order), pay::trade::paid);
    deliver();
    EXPECT_THAT(heard(), ElementsAre("paid"));
}

INSTANTIATE_TEST_SUITE_P(Channels, EitherChannelTest, testing::Values("alipay", "wechat"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(EitherChannelTest, TroubleWithACallNeverDecidesAnything) {
    begin();
    act(number(), "decline");
    for (const bool after_work : {false, true})
        for (const char* kind : {"http_500", "unavailable", "system_error", "limited",
                                 "user_paying", "rubbish", "unsigned", "wrong_key"}) {
            trouble(verb("alipay.trade.query", "wechat.query"), kind, after_work);
            EXPECT_EQ(channel().query(order), pay::trade::unsure) << kind;
        }
    net.up = false;
    EXPECT_EQ(channel().query(order), pay::trade::unsure);
    EXPECT_EQ(channel().close(order), pay::trade::unsure);
    EXPECT_EQ(channel().refund(order, all_of(order)), refund_answer::unsure);
    net.up = true;
    // Closed indeed, but the answer was lost.
    trouble(verb("alipay.trade.close", "wechat.close"), "http_500");
    EXPECT_EQ(channel().close(order), pay::trade::unsure);
    EXPECT_EQ(channel().query(order), pay::trade::closed);
}

TEST_P(EitherChannelTest, ALateMessageAndADoubledOneAreUnderstood) {
    set(R"({"notify_delay_ms":600000,"notify_copies":2})");
    begin();
    act(number(), "pay");
    deliver();
    EXPECT_THAT(heard(), ElementsAre());
    now += 660s;
    deliver();
    EXPECT_THAT(heard(), ElementsAre("paid", "paid"));
}

TEST_P(EitherChannelTest, AMessageWithTheWrongKeyIsRefusedAndComesAgain) {
    set(R"({"notify_wrong_key":1})");
    begin();
    act(number(), "pay");
    shop_answers(channel(), false);
    deliver();
    EXPECT_THAT(heard(), ElementsAre("bad_signature"));
    shop_answers(channel(), true);
    now += 240s;
    deliver();
    EXPECT_THAT(heard(), ElementsAre("paid"));
    now += 24h;
    deliver();
    EXPECT_THAT(heard(), ElementsAre());
}

TEST_P(EitherChannelTest, APaymentAfterTheCloseIsToldAndFoundAndRefunded) {
    set(R"({"pay_after_close":true})");
    begin();
    act(number(), "decline");
    EXPECT_EQ(channel().close(order), pay::trade::closed);
    now = order.pay_by + 1h;
    act(number(), "pay");
    deliver();
    EXPECT_THAT(heard(), ElementsAre("paid"));
    EXPECT_EQ(channel().query(order), pay::trade::paid);
    channel().refund(order, all_of(order));
    now += 1s;
    EXPECT_EQ(channel().refund(order, all_of(order)), refund_answer::done);
    EXPECT_EQ(state(number()), "refunded");
}

TEST_P(EitherChannelTest, AnotherAmountThanTheOrdersIsUnsure) {
    begin();
    act(number(), "pay");
    order.amount.value += 1;
    EXPECT_EQ(channel().query(order), pay::trade::unsure);
    EXPECT_EQ(channel().refund(order, all_of(order)), refund_answer::unsure);
    EXPECT_EQ(state(number()), "paid");
}

TEST_F(MerchantTest, WechatProbesAreRefused) {
    set(R"({"notify_probes":1})");
    order_code();
    act(number(), "pay");
    deliver();
    EXPECT_THAT(heard(), ElementsAre("probe", "paid"));
}

}  // namespace
}  // namespace floodgate::sandbox
