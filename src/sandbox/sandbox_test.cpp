// The cashier's pages, the calls for scripts, and what lies around them.

#include "sandbox/sandbox.hpp"

#include <boost/json/array.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pay/test_data.hpp"
#include "sandbox/html.hpp"
#include "sandbox/path.hpp"
#include "sandbox/sandbox_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CashierTest : public SandboxTest {};
class ControlTest : public SandboxTest {};

TEST_F(CashierTest, ThePageShowsTheOrderAndItsButtons) {
    const std::string code = order_page("A1");
    const response r = send("GET", "/sandbox/cashier/" + code);
    EXPECT_EQ(r.status, 200);
    for (const char* part : {"水壶 100%", "¥99.00", "A1", "2026-12-02 12:00:00", "支付 · Pay",
                             "拒绝 · Decline", "让它过期 · Let it expire"})
        EXPECT_THAT(r.body, HasSubstr(part));
    EXPECT_THAT(r.body, HasSubstr("method=\"post\" action=\"/sandbox/cashier/" + code + "/pay\""));
    EXPECT_THAT(r.body, Not(HasSubstr("<script")));
}

TEST_F(CashierTest, ADeclinedOrderCanStillBePaid) {
    const std::string code = order_page("A1");
    const response r = send("POST", "/sandbox/cashier/" + code + "/decline");
    EXPECT_THAT(r.body, HasSubstr("The payment was declined."));
    EXPECT_EQ(state("A1"), "waiting");
    EXPECT_EQ(send("POST", "/sandbox/cashier/" + code + "/pay").status, 302);
    EXPECT_EQ(state("A1"), "paid");
    const response paid = send("GET", "/sandbox/cashier/" + code);
    EXPECT_THAT(paid.body, HasSubstr("已支付"));
    EXPECT_THAT(paid.body, HasSubstr("Back to the shop"));
    EXPECT_THAT(paid.body, Not(HasSubstr("<button>")));
    EXPECT_THAT(send("POST", "/sandbox/cashier/" + code + "/pay").body,
                HasSubstr("the trade is paid"));
}

TEST_F(CashierTest, AnExpiredOrderCannotBePaid) {
    for (const std::string& code : {order_page("A1"), order_native("order-1")}) {
        const response r = send("POST", "/sandbox/cashier/" + code + "/expire");
        EXPECT_EQ(r.status, 302);
        EXPECT_THAT(send("POST", "/sandbox/cashier/" + code + "/pay").body,
                    HasSubstr("the time to pay is over"));
    }
    EXPECT_EQ(state("A1"), "asked") << "no buyer ever opened it";
    EXPECT_EQ(state("order-1"), "waiting") << "WeChat Pay does not close by time_expire";
    order_page("A2");
    act("A2", "open");
    act("A2", "expire");
    EXPECT_EQ(state("A2"), "closed");
    act("A2", "expire", 409);
    set(R"({"pay_after_close":true})");
    for (const char* no : {"A1", "A2", "order-1"}) act(no, "pay");
}

TEST_F(CashierTest, UnknownPagesAndButtonsAreRefused) {
    const std::string code = order_page("A1");
    EXPECT_EQ(send("GET", "/sandbox/cashier/nothing").status, 404);
    EXPECT_EQ(send("GET", "/sandbox/cashier").status, 404);
    EXPECT_EQ(send("GET", "/sandbox/cashier/" + code + "/pay").status, 405);
    EXPECT_EQ(send("POST", "/sandbox/cashier/" + code + "/refund").status, 404);
    EXPECT_EQ(send("POST", "/sandbox/cashier/" + code).status, 405);
    EXPECT_EQ(state("A1"), "asked");
}

TEST_F(CashierTest, TextsAreEscaped) {
    EXPECT_EQ(html_escaped("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
    order_native("order-1", R"(,"attach":"<b>")");
    EXPECT_THAT(send("GET", "/sandbox").body, Not(HasSubstr("<b>")));
}

TEST_F(ControlTest, TradesAreListedNewestFirst) {
    order_page("A1");
    now += 1s;
    order_native("order-1");
    const auto all = control("GET", "/sandbox/trades").at("trades").as_array();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].at("out_trade_no"), "order-1");
    EXPECT_EQ(all[0].at("trade_status"), "NOTPAY");
    EXPECT_EQ(all[1].at("channel"), "alipay");
    EXPECT_EQ(all[1].at("state"), "asked");
    const response page = send("GET", "/sandbox/");
    EXPECT_THAT(page.body, HasSubstr("order-1"));
    EXPECT_THAT(page.body, HasSubstr("notify_copies: 1"));
}

TEST_F(ControlTest, ActsAnswerWithTheTrade) {
    order_page("A1");
    const auto paid = control("POST", "/sandbox/trades/A1/pay");
    EXPECT_EQ(paid.at("state"), "paid");
    EXPECT_EQ(paid.at("paid_at"), "2026-11-17T04:00:00.000Z");
    const auto refused = control("POST", "/sandbox/trades/A1/pay", "", 409);
    EXPECT_EQ(refused.at("state"), "paid");
    EXPECT_EQ(refused.at("error"), "pay is not possible: the trade is paid");
    control("POST", "/sandbox/trades/A9/pay", "", 404);
    control("POST", "/sandbox/trades/A1/steal", "", 404);
    control("GET", "/sandbox/trades/A1/pay", "", 405);
    control("POST", "/sandbox/trades/A1", "", 405);
}

TEST_F(ControlTest, ANumberOfBothChannelsNeedsTheChannel) {
    order_page("order1");
    order_native("order1");
    act("order1", "pay", 409);
    act("order1", "pay?channel=wechat");
    EXPECT_EQ(control("GET", "/sandbox/trades/order1?channel=alipay").at("state"), "asked");
    EXPECT_EQ(control("GET", "/sandbox/trades/order1?channel=wechat").at("state"), "paid");
}

TEST_F(ControlTest, PathsAreDecoded) {
    EXPECT_THAT(path_parts("/sandbox/trades/a%7Cb/pay"),
                ElementsAre("sandbox", "trades", "a|b", "pay"));
    EXPECT_THAT(path_parts("/a/%zz/b&c"), ElementsAre("a", "", ""));
    order_native("order|1");
    EXPECT_EQ(state("order%7C1"), "waiting");
}

TEST_F(ControlTest, SwitchesAreShownChangedAndChecked) {
    EXPECT_EQ(control("GET", "/sandbox/switches").at("notify_copies"), 1);
    EXPECT_EQ(control("POST", "/sandbox/switches", R"({"notify_copies":2})").at("notify_copies"),
              2);
    const auto refused = control("POST", "/sandbox/switches", R"({"notify_copies":9})", 400);
    EXPECT_EQ(refused.at("error"), "notify_copies must be a whole number from 1 to 5");
    control("POST", "/sandbox/switches", "[]", 400);
    EXPECT_EQ(control("GET", "/sandbox/switches").at("notify_copies"), 2);
}

TEST_F(ControlTest, WaitingMessagesAreListed) {
    order_page("A1");
    act("A1", "pay");
    shop.answer = {503, ""};
    deliver();
    const auto all = control("GET", "/sandbox/notifies").at("notifies").as_array();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].at("tries"), 1);
    EXPECT_EQ(all[0].at("last_status"), 503);
    EXPECT_EQ(all[0].at("due"), "2026-11-17T04:04:00.000Z");
}

TEST_F(ControlTest, EverythingElseIsRefused) {
    for (const char* target : {"/", "/other", "/sandbox/other", "/sandbox/switches/1"})
        EXPECT_EQ(send("GET", target).status, 404) << target;
    EXPECT_EQ(send("POST", "/sandbox/trades").status, 405);
    EXPECT_EQ(send("DELETE", "/sandbox/switches").status, 405);
    EXPECT_EQ(send("POST", "/gateway.do", std::string(body_bytes_max + 1, 'a')).status, 413);
}

TEST_F(ControlTest, ARestartKeepsTradesButNotSwitches) {
    order_page("A1");
    act("A1", "pay");
    set(R"({"notify_copies":2})");
    restart();
    EXPECT_EQ(state("A1"), "paid");
    EXPECT_EQ(control("GET", "/sandbox/switches").at("notify_copies"), 1);
}

TEST(Sandbox, AChannelThatIsNotConfiguredIsNotThere) {
    const auto db = store::open_sqlite({.path = ":memory:", .readers_max = 1});
    gateway empty({.alipay = {}, .wechat = {}, .stranger = pay::test_private_key("other")}, *db);
    for (const char* path : {"/gateway.do", "/v3/certificates"})
        EXPECT_EQ(empty.answer({"GET", path, "", {}, ""}, from_ms(0)).status, 404) << path;
}

}  // namespace
}  // namespace floodgate::sandbox
