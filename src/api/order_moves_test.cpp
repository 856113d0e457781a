// Cancel, pay and refund, asked for as a buyer does.

#include <fmt/format.h>

#include "api/handler_fixture.hpp"
#include "api/order_api.hpp"
#include "pay/scripted_channel.hpp"
#include "pay/test_channel.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

class OrderMovesTest : public HandlerTest {
protected:
    static constexpr std::int64_t buyer = 42;

    OrderMovesTest() {
        channels_.add(std::make_unique<pay::test_channel>());
        sale_ = published_sale(3);
        as_buyer(buyer);
    }
    std::string promised(std::int64_t who = buyer) {
        const sale::verdict v = buy(who, sale_);
        EXPECT_EQ(v.what, sale::answer::accepted);
        return sale::to_text(v.order);
    }
    std::string entered(std::int64_t who = buyer) {
        std::string no = promised(who);
        enter_all();
        return no;
    }
    answered cancel(const std::string& no) { return post("/orders/" + no + "/cancel"); }
    answered pay(const std::string& no, const std::string& method = "test") {
        return post("/orders/" + no + "/pay", fmt::format(R"({{"method":"{}"}})", method));
    }
    answered refund(const std::string& no) { return post("/orders/" + no + "/refund"); }
    std::string status(const std::string& no) {
        return std::string(get("/orders/" + no).body.at("status").as_string());
    }
    void expect_conflict(const answered& a, const std::string& order_status) {
        EXPECT_EQ(a.status, 409);
        EXPECT_EQ(a.code(), "conflict");
        EXPECT_EQ(a.body.at("order_status").as_string(), order_status);
    }
    std::int64_t free() {
        const auto standing = turnstile_.look_up({sale_});
        return standing->stock - standing->taken;
    }

    std::int64_t sale_ = 0;
};

TEST_F(OrderMovesTest, CancelClosesAtOnceAndTheBuyerMayBuyAgain) {
    const std::string no = entered();
    EXPECT_EQ(free(), 2);
    const answered done = cancel(no);
    EXPECT_EQ(done.status, 200);
    EXPECT_EQ(done.body.at("status").as_string(), "closed");
    EXPECT_EQ(done.body.at("reason").as_string(), "cancelled");
    EXPECT_EQ(free(), 3);
    clock_.advance(milliseconds(5));
    entered();
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

TEST_F(OrderMovesTest, CancelOfAForeignOrMissingOrderIsNotFound) {
    const std::string no = entered(7);
    EXPECT_EQ(cancel(no).status, 404);
    EXPECT_EQ(cancel("999").status, 404);
    EXPECT_EQ(pay(no).status, 404);
    EXPECT_EQ(refund(no).status, 404);
    EXPECT_EQ(free(), 2);
    as_buyer(7);
    EXPECT_EQ(status(no), "unpaid");
}

TEST_F(OrderMovesTest, CancelTwiceIsAConflictAndFreesOneUnit) {
    const std::string no = entered();
    EXPECT_EQ(cancel(no).status, 200);
    expect_conflict(cancel(no), "closed");
    EXPECT_EQ(free(), 3);
}

TEST_F(OrderMovesTest, AnOrderOnItsWayIntoTheBookSaysWhenToComeBack) {
    const std::string no = promised();
    const answered early = cancel(no);
    expect_conflict(early, "queued");
    EXPECT_GT(early.body.at("retry_after_ms").as_int64(), 0);
    expect_conflict(pay(no), "queued");
    expect_conflict(refund(no), "queued");
}

TEST_F(OrderMovesTest, PayThenRefund) {
    const std::string no = entered();
    const answered paid = pay(no);
    EXPECT_EQ(paid.status, 200);
    EXPECT_EQ(paid.body.at("order").at("status").as_string(), "paid");
    EXPECT_EQ(paid.body.at("method").as_string(), "test");
    EXPECT_EQ(paid.body.at("out_trade_no").as_string(), no);
    EXPECT_EQ(paid.body.at("expires_at").as_string(),
              to_iso(ledger::noon + std::chrono::minutes(15)));
    EXPECT_TRUE(paid.body.at("paid").as_bool());
    for (const char* other : {"redirect", "form", "code_url"})
        EXPECT_FALSE(paid.body.as_object().contains(other)) << other;
    expect_conflict(cancel(no), "paid");
    expect_conflict(pay(no), "paid");

    EXPECT_EQ(refund(no).status, 202);
    EXPECT_EQ(status(no), "refunding");
    EXPECT_EQ(book_.moves().count_questions().value(), 1);
    expect_conflict(refund(no), "refunding");
    EXPECT_EQ(free(), 2) << "the unit comes back with the money";
}

// Every method gives what it needs, and the same again as long as the order is unpaid.
TEST_F(OrderMovesTest, PayElsewhereSaysWhatTheBuyerNeeds) {
    auto page = std::make_unique<pay::scripted_channel>("alipay");
    page->begins.always(pay::checkout{.redirect = "https://pay.example/1", .form = "<form>"});
    auto code = std::make_unique<pay::scripted_channel>("wechat");
    code->begins.always(pay::checkout{.code_url = "weixin://1"});
    channels_.add(std::move(page));
    channels_.add(std::move(code));
    const std::string at_page = entered();
    for (int i = 0; i < 2; ++i) {
        const answered a = pay(at_page, "alipay");
        EXPECT_EQ(a.status, 200);
        EXPECT_EQ(a.body.at("method").as_string(), "alipay");
        EXPECT_EQ(a.body.at("out_trade_no").as_string(), at_page);
        EXPECT_EQ(a.body.at("expires_at"), a.body.at("order").at("pay_by"));
        EXPECT_EQ(a.body.at("redirect").as_string(), "https://pay.example/1");
        EXPECT_EQ(a.body.at("form").as_string(), "<form>");
        EXPECT_FALSE(a.body.as_object().contains("paid"));
        EXPECT_FALSE(a.body.as_object().contains("code_url"));
    }
    // The buyer may change their mind.
    const answered a = pay(at_page, "wechat");
    EXPECT_EQ(a.body.at("code_url").as_string(), "weixin://1");
    EXPECT_FALSE(a.body.as_object().contains("redirect"));
    EXPECT_FALSE(a.body.as_object().contains("form"));
}

TEST_F(OrderMovesTest, PayAfterCancelIsAConflict) {
    const std::string no = entered();
    EXPECT_EQ(cancel(no).status, 200);
    expect_conflict(pay(no), "closed");
}

TEST_F(OrderMovesTest, PayAfterTheDeadlineIsRefusedEvenBeforeItIsClosed) {
    const std::string no = entered();
    clock_.advance(std::chrono::seconds(900));
    const answered late = pay(no);
    expect_conflict(late, "unpaid");
    EXPECT_EQ(late.detail(), "the time to pay is over");
}

TEST_F(OrderMovesTest, UnknownMethodNamesTheOnesThereAre) {
    const std::string no = entered();
    const answered wrong = pay(no, "gold");
    EXPECT_EQ(wrong.status, 422);
    EXPECT_EQ(wrong.body.at("field").as_string(), "method");
    EXPECT_EQ(wrong.detail(), "no such way to pay; there are: test");
    EXPECT_EQ(post("/orders/" + no + "/pay", "{}").status, 400);
    EXPECT_EQ(post("/orders/" + no + "/pay", R"({"method":7})").status, 400);
    EXPECT_EQ(post("/orders/" + no + "/pay", R"({"method":"test","more":1})").status, 400);
    EXPECT_EQ(post("/orders/" + no + "/cancel", R"({"why":"no"})").status, 400);
    EXPECT_EQ(status(no), "unpaid");
}

TEST_F(OrderMovesTest, CancelAfterAPaymentWasBegunWaitsForTheChannel) {
    const std::string no = entered();
    ASSERT_TRUE(book_.moves().begin_payment(*sale::parse_order_no(no), {buyer}, {"test", {{1}}},
                                            clock_.now()));
    const answered asked = cancel(no);
    EXPECT_EQ(asked.status, 202);
    EXPECT_EQ(asked.body.at("closing").as_string(), "cancelled");
    EXPECT_EQ(asked.body.at("status").as_string(), "unpaid");
    EXPECT_EQ(book_.moves().count_questions().value(), 1);
    EXPECT_EQ(free(), 2) << "held until the channel has spoken";
    const answered again = cancel(no);
    expect_conflict(again, "unpaid");
    EXPECT_EQ(again.detail(), "the order is being closed");
    expect_conflict(pay(no), "unpaid");
    as_admin();
    const answered open = get("/admin/payments/open");
    EXPECT_EQ(open.body.at("questions").as_array().size(), 1U);
    EXPECT_EQ(open.body.at("questions").at(0).at("order").at("order_no").as_string(), no);
}

}  // namespace
}  // namespace floodgate::api
