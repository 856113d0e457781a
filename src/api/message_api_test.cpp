// What payment channels call, and what is kept of it.

#include "api/message_api.hpp"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "api/handler_fixture.hpp"
#include "guard/addresses.hpp"
#include "pay/scripted_channel.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t message_buyer = 42;
constexpr const char* wechat_refusal = R"({"code":"FAIL","message":"not accepted"})";

class MessageApiTest : public HandlerTest {
protected:
    MessageApiTest() {
        for (const char* name : {"alipay", "wechat", "external"}) {
            auto scripted = std::make_unique<pay::scripted_channel>(name);
            scripted->reads = [this](const pay::raw_message& raw) {
                came_ = {std::string(raw.body),      std::string(raw.content_type),
                         std::string(raw.timestamp), std::string(raw.nonce),
                         std::string(raw.signature), std::string(raw.serial)};
                return said_;
            };
            if (std::string_view(name) == "wechat") {
                scripted->when_taken = {.status = 200};
                scripted->when_refused = {400, "application/json", wechat_refusal};
            }
            channels_.add(std::move(scripted));
        }
        sale_ = published_sale(3);
        const sale::verdict v = buy(message_buyer, sale_);
        enter_all();
        order_ = v.order;
        said_ = {.order = order_, .says = pay::trade::paid, .amount = {9900}, .channel_no = "T1"};
    }
    answered notify(const std::string& body = "a=1&b=%20") {
        return post("/payments/alipay/notify", body);
    }
    answered tell_paid(const std::string& body = "{}") {
        next_.message = std::make_shared<const message_headers>(
            message_headers{"application/json", "", "", "", "", "18", "v1=ab"});
        return post("/payments/external/paid", body);
    }
    std::string status() { return to_text(book_.orders().find(order_).value().state); }
    boost::json::array kept() {
        as_admin();
        return get("/admin/payments/messages").body.at("messages").as_array();
    }

    std::int64_t sale_ = 0;
    sale::order_no order_;
    pay::message said_;
    std::vector<std::string> came_;
};

TEST_F(MessageApiTest, AMessageReachesItsChannelAsItCame) {
    const std::string body("\0raw\xff &+%20", 11);
    next_.message = std::make_shared<const message_headers>(
        message_headers{"application/json", "17", "n", "c2ln", "AB"});
    const answered a = post("/payments/wechat/notify", body);
    EXPECT_EQ(a.status, 200);
    EXPECT_EQ(a.text, "");
    EXPECT_THAT(came_, ElementsAre(body, "application/json", "17", "n", "c2ln", "AB"));
    EXPECT_EQ(status(), "paid");
    EXPECT_THAT(events_told_, IsEmpty());
}

TEST_F(MessageApiTest, ARepeatedMessageIsTakenAndChangesNothing) {
    EXPECT_EQ(notify().text, "success");
    const std::size_t told = settled_.size();
    EXPECT_EQ(notify().text, "success");
    EXPECT_EQ(settled_.size(), told);
    const auto all = kept();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all.at(0).at("verdict").as_string(), "repeated");
    EXPECT_EQ(all.at(1).at("verdict").as_string(), "entered");
    EXPECT_EQ(all.at(1).at("order_no").as_string(), sale::to_text(order_));
    EXPECT_EQ(all.at(1).at("channel_no").as_string(), "T1");
    EXPECT_EQ(all.at(1).at("raw").as_string(), "a=1&b=%20");
}

TEST_F(MessageApiTest, ARefusedMessageChangesNothingAndIsLoggedWithoutItsContent) {
    said_.amount = {1};
    EXPECT_EQ(notify("buyer_logon_id=13800000000").text, "fail");
    EXPECT_EQ(status(), "unpaid");
    EXPECT_THAT(events_told_,
                ElementsAre("guard.message_refused verdict=other_amount from=192.0.2.1 "
                            "route=/api/v1/payments/alipay/notify"));
    EXPECT_EQ(kept().at(0).at("verdict").as_string(), "other_amount");
}

// It comes from the channel itself, whose next message must be read.
TEST_F(MessageApiTest, ARefundThatIsNotOursIsCountedAndNotHeldAgainstItsSender) {
    EXPECT_EQ(notify().text, "success");
    said_.refund = {.number = "by hand", .amount = {900}, .is_sum = true};
    for (int i = 0; i < 20; ++i) EXPECT_EQ(notify().text, "success");
    EXPECT_EQ(message_by_address_.wait_for(guard::limiter_key(next_.client), clock_.now()),
              milliseconds(0));
    EXPECT_EQ(kept().at(0).at("verdict").as_string(), "unknown_refund");
    ASSERT_FALSE(events_told_.empty());
    EXPECT_EQ(events_told_.front(),
              "guard.message_refused verdict=unknown_refund from=192.0.2.1 "
              "route=/api/v1/payments/alipay/notify");
}

TEST_F(MessageApiTest, EachChannelIsAnsweredAsItWants) {
    said_.fault = "unknown_serial";
    const answered a = post("/payments/wechat/notify", "{}");
    EXPECT_EQ(a.status, 400);
    EXPECT_EQ(a.text, wechat_refusal);
    EXPECT_EQ(notify().status, 200);
}

TEST_F(MessageApiTest, TheShopsOwnCheckoutIsAnsweredInPlainJson) {
    const answered a = tell_paid(R"({"a":1})");
    EXPECT_EQ(a.status, 200);
    EXPECT_EQ(a.text, R"({"status":"paid"})");
    EXPECT_THAT(came_, ElementsAre(R"({"a":1})", "application/json", "18", "", "v1=ab", ""));
    EXPECT_EQ(status(), "paid");
    EXPECT_EQ(tell_paid().text, R"({"status":"paid"})") << "repeated";
    const auto all = kept();
    EXPECT_EQ(all.at(0).at("verdict").as_string(), "repeated");
    EXPECT_THAT(std::string(all.at(1).at("raw").as_string()), HasSubstr("Floodgate-Timestamp: 18"));
}

TEST_F(MessageApiTest, WhatTheShopsOwnCheckoutDidWrongIsNamed) {
    const struct {
        const char* fault;
        int status;
        const char* code;
    } all[] = {{"without_signature", 401, "bad_signature"},
               {"stale", 401, "bad_signature"},
               {"bad_signature", 401, "bad_signature"},
               {"malformed", 400, "bad_request"},
               {"unreadable", 400, "bad_request"},
               {"other_order", 404, "not_found"},
               {"bad_amount", 409, "other_amount"},
               {"too_long", 413, "payload_too_large"},
               {"wrong_content_type", 415, "unsupported_media_type"}};
    for (const auto& wrong : all) {
        said_.fault = wrong.fault;
        const answered a = tell_paid();
        EXPECT_EQ(a.status, wrong.status) << wrong.fault;
        EXPECT_EQ(a.code(), wrong.code) << wrong.fault;
    }
    EXPECT_EQ(events_told_.size(), std::size(all));
    said_.fault = "stale";
    EXPECT_EQ(tell_paid().headers, "WWW-Authenticate: Floodgate-Signature\r\n");
    said_.fault = "";
    said_.amount = {1};
    EXPECT_EQ(tell_paid().code(), "other_amount");
    said_.order.value += 1000;
    EXPECT_EQ(tell_paid().code(), "not_found");
    EXPECT_EQ(status(), "unpaid");
}

TEST_F(MessageApiTest, TheShopsOwnCheckoutIsToldWhenTheMoneyMustGoBack) {
    as_buyer(message_buyer);
    EXPECT_EQ(post("/orders/" + sale::to_text(order_) + "/cancel", "").status, 200);
    for (int i = 0; i < 2; ++i) {
        const answered a = tell_paid();
        EXPECT_EQ(a.status, 409);
        EXPECT_EQ(a.code(), "late_payment");
    }
    EXPECT_EQ(status(), "closed");
    EXPECT_EQ(kept().at(0).at("verdict").as_string(), "late");
    EXPECT_THAT(events_told_, IsEmpty()) << "nobody attacks";
}

TEST_F(MessageApiTest, WhatTheLedgerCouldNotTakeTheShopSendsAgain) {
    break_ledger();
    const answered a = tell_paid();
    EXPECT_EQ(a.status, 503);
    EXPECT_EQ(a.code(), "busy");
    mend_ledger();
    EXPECT_EQ(tell_paid().status, 200);
}

TEST_F(MessageApiTest, OnlyRefusedMessagesAreChargedToTheirAddress) {
    const auto left = [&] {
        return message_by_address_.wait_for(guard::limiter_key(next_.client), clock_.now()) ==
               milliseconds(0);
    };
    for (int i = 0; i < 20; ++i) notify();
    EXPECT_TRUE(left());
    said_.fault = "bad_signature";
    for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(left()) << i;
        notify();
    }
    EXPECT_FALSE(left());
}

TEST_F(MessageApiTest, AProxyOfOursIsNotCharged) {
    next_.client_is_trusted_proxy = true;
    said_.fault = "bad_signature";
    for (int i = 0; i < 20; ++i) notify();
    EXPECT_EQ(message_by_address_.wait_for(guard::limiter_key(next_.client), clock_.now()),
              milliseconds(0));
}

TEST_F(MessageApiTest, WhenTheLedgerFailsTheChannelSendsItAgain) {
    break_ledger();
    EXPECT_EQ(notify().text, "fail");
    mend_ledger();
    EXPECT_THAT(events_told_, IsEmpty()) << "nobody attacks";
    EXPECT_EQ(notify().text, "success");
    EXPECT_EQ(status(), "paid");
}

// Nothing is remembered between begin and message but the ledger.
TEST_F(MessageApiTest, AMessageMayReachAnotherNode) {
    pay::channels there;
    auto scripted = std::make_unique<pay::scripted_channel>("alipay");
    scripted->reads = [this](const pay::raw_message&) { return said_; };
    there.add(std::move(scripted));
    shop::checkout checkout({book_.moves(), there, settlement_, clock_});
    shop::message_desk desk({checkout, there, book_});
    as_buyer(message_buyer);
    EXPECT_EQ(post("/orders/" + sale::to_text(order_) + "/pay", R"({"method":"alipay"})").status,
              200);
    EXPECT_EQ(desk.take("alipay", {}, clock_.now()).value().word, "entered");
    EXPECT_EQ(status(), "paid");
    EXPECT_EQ(notify().text, "success") << "and once more at the first";
}

TEST_F(MessageApiTest, AReturningBuyerIsLedToTheOrderAndSettlesNothing) {
    const answered back = get("/payments/alipay/return?out_trade_no=1&sign=x%2B");
    EXPECT_EQ(back.status, 303);
    EXPECT_EQ(back.headers, "Location: /orders/" + sale::to_text(order_) + "\r\n");
    EXPECT_EQ(came_.at(0), "out_trade_no=1&sign=x%2B");
    EXPECT_EQ(status(), "unpaid");
    said_.fault = "bad_signature";
    const answered lost = get("/payments/alipay/return?out_trade_no=1&sign=y");
    EXPECT_EQ(lost.status, 303);
    EXPECT_EQ(lost.headers, "Location: /\r\n");
    EXPECT_THAT(events_told_, ElementsAre(HasSubstr("verdict=bad_return")));
    EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(MessageApiTest, TheJournalIsReadInPagesAndShowsAnyBytes) {
    said_.fault = "malformed";
    for (const char* body : {"one", "two\\\xff\n", "three"}) notify(body);
    as_admin();
    const answered first = get("/admin/payments/messages?limit=2");
    ASSERT_EQ(first.body.at("messages").as_array().size(), 2U);
    EXPECT_EQ(first.body.at("messages").at(1).at("raw").as_string(), R"(two\x5c\xff\x0a)");
    const answered rest = get(
        fmt::format("/admin/payments/messages?before={}", first.body.at("next_before").as_int64()));
    ASSERT_EQ(rest.body.at("messages").as_array().size(), 1U);
    EXPECT_TRUE(rest.body.at("next_before").is_null());
    EXPECT_EQ(get("/admin/payments/messages?limit=101").status, 400);
}

class NoChannelsTest : public HandlerTest {};

TEST_F(NoChannelsTest, WithoutTheChannelThereIsNoSuchCall) {
    EXPECT_EQ(post("/payments/alipay/notify", "a=1").status, 404);
    EXPECT_EQ(post("/payments/wechat/notify", "{}").status, 404);
    EXPECT_EQ(post("/payments/external/paid", "{}").status, 404);
    EXPECT_EQ(get("/payments/alipay/return?a=1").headers, "Location: /\r\n");
}

}  // namespace
}  // namespace floodgate::api
