// Refunds in part and in full, asked for by a buyer and by an admin, and the list of extra money.

#include <fmt/format.h>

#include <set>

#include "api/handler_fixture.hpp"
#include "pay/scripted_channel.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

class RefundApiTest : public HandlerTest {
protected:
    static constexpr std::int64_t buyer = 42;

    RefundApiTest() {
        for (const char* method : {"alipay", "wechat"})
            channels_.add(std::make_unique<pay::scripted_channel>(method));
        sale_ = published_sale(50);
        as_buyer(buyer);
    }
    std::string entered(std::int64_t who = buyer) {
        const sale::verdict v = buy(who, sale_);
        EXPECT_EQ(v.what, sale::answer::accepted);
        enter_all();
        return sale::to_text(v.order);
    }
    void money_comes(const std::string& no, const char* method = "alipay") {
        EXPECT_TRUE(
            checkout_.notified(*sale::parse_order_no(no), method, pay::trade::paid).has_value());
    }
    std::string paid(std::int64_t who = buyer) {
        std::string no = entered(who);
        money_comes(no);
        return no;
    }
    // What the payment inquiries do.
    void inquire_all() {
        for (const auto& q : book_.moves().all_questions({}, 100).value())
            EXPECT_EQ(checkout_.inquire(q).value().outcome, shop::inquiry_outcome::settled);
    }
    answered refund(const std::string& no, const std::string& body = "") {
        return post("/orders/" + no + "/refund", body);
    }
    answered refund_as_admin(const std::string& no, const std::string& body) {
        return post("/admin/orders/" + no + "/refund", body);
    }
    std::string status(const std::string& no) {
        return std::string(get("/orders/" + no).body.at("status").as_string());
    }
    std::size_t audit_lines() {
        return get("/admin/audit?limit=100").body.at("lines").as_array().size();
    }

    std::int64_t sale_ = 0;
};

TEST_F(RefundApiTest, ABuyerAsksForAPartAndThenForTheRest) {
    const std::string no = paid();
    const std::int64_t amount = get("/orders/" + no).body.at("amount_fen").as_int64();
    EXPECT_FALSE(get("/orders/" + no).body.as_object().contains("refunded_fen"));
    const answered part = refund(no, R"({"amount_fen":3,"reason":"a scratch"})");
    EXPECT_EQ(part.status, 202);
    EXPECT_EQ(part.body.at("status").as_string(), "refunding");
    inquire_all();
    EXPECT_EQ(status(no), "paid");
    EXPECT_EQ(get("/orders/" + no).body.at("refunded_fen").as_int64(), 3);

    const answered too_much = refund(no, fmt::format(R"({{"amount_fen":{}}})", amount - 2));
    EXPECT_EQ(too_much.status, 422);
    EXPECT_EQ(too_much.body.at("field").as_string(), "amount_fen");
    EXPECT_EQ(too_much.detail(), fmt::format("at most {} fen can be given back", amount - 3));

    EXPECT_EQ(refund(no).status, 202) << "the rest";
    inquire_all();
    EXPECT_EQ(status(no), "refunded");
    EXPECT_EQ(get("/orders/" + no).body.at("refunded_fen").as_int64(), amount);
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

TEST_F(RefundApiTest, AnAmountOrAReasonThatMakesNoSenseIsRefused) {
    const std::string no = paid();
    const std::string long_reason(201, 'x');
    for (const std::string& body :
         {std::string(R"({"amount_fen":0})"), std::string(R"({"amount_fen":-1})"),
          std::string(R"({"amount_fen":1.5})"), std::string(R"({"amount_fen":"3"})"),
          std::string(R"({"amount_fen":1000000000001})"), std::string(R"({"amount_fen":null})"),
          std::string(R"({"amount_fen":99999999999999999999})"), std::string(R"({"reason":7})"),
          std::string(R"({"amount":3})"), std::string("[]"), std::string("{"),
          R"({"reason":")" + long_reason + R"("})"}) {
        SCOPED_TRACE(body);
        EXPECT_EQ(refund(no, body).status, 400);
        as_admin();
        EXPECT_EQ(refund_as_admin(no, body).status, 400);
        as_buyer(buyer);
    }
    EXPECT_EQ(status(no), "paid");
}

TEST_F(RefundApiTest, AfterAWeekOnlyAnAdminGivesItBack) {
    const std::string no = paid();
    clock_.advance(shop::checkout::refund_within_default + milliseconds(1));
    const answered late = refund(no);
    EXPECT_EQ(late.status, 409);
    EXPECT_EQ(late.code(), "conflict");
    EXPECT_EQ(late.detail(), "the time to give it back is over");
    EXPECT_EQ(late.body.at("order_status").as_string(), "paid");
    as_admin();
    EXPECT_EQ(refund_as_admin(no, R"({"reason":"a good customer"})").status, 202);
}

TEST_F(RefundApiTest, AnAdminNeedsAReason) {
    const std::string no = paid();
    as_admin();
    const std::size_t lines = audit_lines();
    for (const char* body : {"", "{}", R"({"amount_fen":3})", R"({"reason":""})",
                             R"({"reason":"  "})", R"({"amount_fen":3,"reason":null})"}) {
        SCOPED_TRACE(body);
        const answered a = refund_as_admin(no, body);
        EXPECT_EQ(a.status, 400);
        EXPECT_EQ(a.body.at("field").as_string(), "reason");
    }
    EXPECT_EQ(audit_lines(), lines);
    as_buyer(buyer);
    EXPECT_EQ(status(no), "paid");
}

TEST_F(RefundApiTest, AnAdminsRefundIsShownWithItsOrderAndAudited) {
    const std::string no = paid(), unpaid = entered(7);
    as_admin();
    const answered asked = refund_as_admin(no, R"({"amount_fen":5,"reason":"broken"})");
    EXPECT_EQ(asked.status, 202);
    EXPECT_EQ(asked.body.at("status").as_string(), "refunding");
    const auto shown = [&] { return get("/admin/orders/" + no).body.at("refunds").at(0); };
    EXPECT_EQ(shown().at("order_no").as_string(), no);
    EXPECT_EQ(shown().at("method").as_string(), "alipay");
    EXPECT_EQ(shown().at("amount_fen").as_int64(), 5);
    EXPECT_EQ(shown().at("cause").as_string(), "admin");
    EXPECT_EQ(shown().at("reason").as_string(), "broken");
    EXPECT_EQ(shown().at("asked_by").as_int64(), 1);
    EXPECT_FALSE(shown().as_object().contains("done_at"));
    const answered open = get("/admin/payments/open");
    EXPECT_EQ(open.body.at("questions").at(0).at("refund"), shown());
    inquire_all();
    EXPECT_TRUE(shown().as_object().contains("done_at"));

    const auto line = get("/admin/audit").body.at("lines").at(0);
    EXPECT_EQ(line.at("action").as_string(), "order.refunded");
    EXPECT_EQ(refund_as_admin("1", R"({"reason":"no such order"})").status, 404);
    const answered early = refund_as_admin(unpaid, R"({"reason":"not paid yet"})");
    EXPECT_EQ(early.status, 409);
    EXPECT_EQ(early.body.at("order_status").as_string(), "unpaid");
    EXPECT_TRUE(get("/admin/orders/" + unpaid).body.at("refunds").as_array().empty());
}

TEST_F(RefundApiTest, ExtraMoneyIsListedAPageAtATime) {
    std::set<std::string> extra;
    for (std::int64_t who = 1; who <= 5; ++who) {
        const std::string no = paid(who);
        money_comes(no, "wechat");
        extra.insert(no);
    }
    paid(6);  // paid once: nothing to list
    as_admin();
    std::set<std::string> listed;
    std::string before;
    int pages = 0;
    do {
        const answered page = get("/admin/payments/extra?limit=2" + before);
        ASSERT_EQ(page.status, 200);
        EXPECT_LE(page.body.at("refunds").as_array().size(), 2U);
        for (const auto& r : page.body.at("refunds").as_array()) {
            EXPECT_EQ(r.at("cause").as_string(), "twice");
            EXPECT_EQ(r.at("method").as_string(), "wechat");
            EXPECT_TRUE(listed.insert(std::string(r.at("order_no").as_string())).second);
        }
        const auto& next = page.body.at("next_before");
        before = next.is_null() ? "" : "&before=" + std::string(next.as_string());
        ++pages;
    } while (!before.empty() && pages < 10);
    EXPECT_EQ(listed, extra);
    EXPECT_EQ(pages, 3);
    for (const char* bad : {"?limit=0", "?limit=501", "?before=x", "?before=0"})
        EXPECT_EQ(get(std::string("/admin/payments/extra") + bad).status, 400) << bad;
}

TEST_F(RefundApiTest, AnAdminSeesEveryCallToAChannel) {
    const std::string no = entered();
    ASSERT_EQ(post("/orders/" + no + "/pay", R"({"method":"wechat"})").status, 200);
    money_comes(no, "wechat");
    ASSERT_EQ(refund(no).status, 202);
    inquire_all();
    as_admin();
    const answered seen = get("/admin/orders/" + no + "/attempts");
    ASSERT_EQ(seen.status, 200);
    const auto& made = seen.body.at("attempts").as_array();
    ASSERT_EQ(made.size(), 2U);
    EXPECT_EQ(made[0].at("asked").as_string(), "begin");
    EXPECT_FALSE(made[0].as_object().contains("refund_no"));
    EXPECT_EQ(made[1].at("asked").as_string(), "refund");
    EXPECT_EQ(made[1].at("refund_no").as_string(), no + "R1");
    EXPECT_EQ(made[1].at("outcome").as_string(), "answered");
    EXPECT_EQ(get("/admin/orders/7/attempts").status, 404);
}

}  // namespace
}  // namespace floodgate::api
