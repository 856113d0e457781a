// Points as buyers and admins see them, and orders paid with them.

#include "api/points_api.hpp"

#include <fmt/format.h>

#include "api/handler_fixture.hpp"
#include "pay/test_channel.hpp"
#include "sale/order_number.hpp"
#include "shop/points_channel.hpp"

namespace floodgate::api {
namespace {

class PointsApiTest : public HandlerTest {
protected:
    PointsApiTest() {
        channels_.add(std::make_unique<pay::test_channel>());
        channels_.add(std::make_unique<shop::points_channel>(points_, clock_));
        buyer_ = verbs_.add_user("13800000001").value;
    }
    answered grant(std::int64_t amount, const std::string& request, std::int64_t user = 0) {
        as_admin();
        return post(
            fmt::format("/admin/users/{}/points", user ? user : buyer_),
            fmt::format(R"({{"amount":{},"reason":"a gift","request":"{}"}})", amount, request));
    }
    answered mine(const std::string& query = "") {
        as_buyer(buyer_);
        return get("/me/points" + query);
    }
    // An unpaid order of a sale with these prices.
    std::string order_for(std::int64_t fen, std::int64_t points) {
        const std::int64_t sale = published_sale(3);
        as_admin();
        EXPECT_EQ(put(fmt::format("/admin/sales/{}", sale),
                      fmt::format(R"({{"price_fen":{},"price_points":{}}})", fen, points))
                      .status,
                  200);
        const sale::verdict v = buy(buyer_, sale);
        enter_all();
        as_buyer(buyer_);
        return sale::to_text(v.order);
    }
    answered pay(const std::string& no, const std::string& method) {
        as_buyer(buyer_);
        return post("/orders/" + no + "/pay", fmt::format(R"({{"method":"{}"}})", method));
    }
    static std::int64_t number(const answered& a, const char* name) {
        return a.body.at(name).as_int64();
    }
    std::size_t audited() {
        as_admin();
        std::size_t lines = 0;
        const answered audit = get("/admin/audit?limit=100");
        for (const auto& line : audit.body.at("lines").as_array())
            if (line.at("action").as_string() == "points.granted") ++lines;
        return lines;
    }

    std::int64_t buyer_ = 0;
};

TEST_F(PointsApiTest, AGrantIsSeenByTheBuyerAndTheAudit) {
    EXPECT_EQ(number(mine(), "available"), 0);
    const answered given = grant(500, "w-1");
    EXPECT_EQ(given.status, 200);
    EXPECT_EQ(number(given, "available"), 500);
    EXPECT_EQ(given.body.at("lines").at(0).at("by").as_int64(), 1);
    const answered seen = mine();
    EXPECT_EQ(number(seen, "available"), 500);
    const auto& line = seen.body.at("lines").at(0);
    EXPECT_EQ(line.at("event").as_string(), "granted");
    EXPECT_EQ(line.at("change").as_int64(), 500);
    EXPECT_EQ(line.at("reason").as_string(), "a gift");
    EXPECT_FALSE(line.as_object().contains("by")) << "the buyer is not told which admin";
    EXPECT_EQ(audited(), 1U);
    EXPECT_EQ(number(grant(-200, "w-2"), "available"), 300);
    EXPECT_EQ(audited(), 2U);
}

TEST_F(PointsApiTest, AGrantThatCannotBeIsRefusedAndLeavesNoLine) {
    EXPECT_EQ(grant(500, "w-1").status, 200);
    const answered other = grant(400, "w-1");
    EXPECT_EQ(other.status, 409);
    EXPECT_EQ(other.code(), "already_exists");
    const answered less = grant(-501, "w-2");
    EXPECT_EQ(less.code(), "conflict");
    EXPECT_EQ(less.detail(), "only 500 points are available");
    EXPECT_EQ(grant(0, "w-3").code(), "invalid");
    EXPECT_EQ(grant(5, "with blanks").code(), "invalid");
    EXPECT_EQ(grant(5, "w-4", 999).status, 404);
    as_admin();
    const std::string path = fmt::format("/admin/users/{}/points", buyer_);
    EXPECT_EQ(post(path, R"({"amount":5,"request":"x"})").status, 400);
    EXPECT_EQ(post(path, R"({"amount":5,"reason":"x"})").status, 400);
    EXPECT_EQ(get("/admin/users/999/points").status, 404);
    EXPECT_EQ(audited(), 1U);
    EXPECT_EQ(number(mine(), "available"), 500);
}

// The grant and its line are in two databases.
TEST_F(PointsApiTest, AGrantWhoseAuditLineFailedIsNotGivenTwice) {
    int readings = 0;
    how_->after = [&](std::string_view sql) {
        // The admin's user was found; from here on the ledger is away.
        if (sql.find("FROM users") != sql.npos && ++readings == 1) break_ledger();
    };
    EXPECT_EQ(grant(500, "w-1").status, 503);
    how_->after = nullptr;
    mend_ledger();
    EXPECT_EQ(number(mine(), "available"), 500);
    EXPECT_EQ(audited(), 0U);
    EXPECT_EQ(number(grant(500, "w-1"), "available"), 500) << "the admin comes again";
    EXPECT_EQ(audited(), 1U);
}

TEST_F(PointsApiTest, TheHistoryComesInPages) {
    for (int i = 1; i <= 5; ++i) EXPECT_EQ(grant(i, fmt::format("w-{}", i)).status, 200);
    const answered first = mine("?limit=2");
    EXPECT_EQ(first.body.at("lines").as_array().size(), 2U);
    EXPECT_EQ(number(first, "next_before"), 4);
    const answered last = mine("?limit=3&before=4");
    EXPECT_EQ(last.body.at("lines").as_array().size(), 3U);
    EXPECT_TRUE(last.body.at("next_before").is_null());
    EXPECT_EQ(mine("?limit=0").status, 400);
    EXPECT_EQ(mine("?limit=101").status, 400);
    EXPECT_EQ(mine("?before=x").status, 400);
    as_admin();
    EXPECT_EQ(get(fmt::format("/admin/users/{}/points?limit=2", buyer_))
                  .body.at("next_before")
                  .as_int64(),
              4);
}

TEST_F(PointsApiTest, AnOrderIsPaidWithPoints) {
    grant(50, "w-1");
    const std::string no = order_for(9900, 30);
    const answered paid = pay(no, "points");
    EXPECT_EQ(paid.status, 200);
    EXPECT_EQ(paid.body.at("order").at("status").as_string(), "paid");
    const answered after = mine();
    EXPECT_EQ(number(after, "available"), 20);
    EXPECT_EQ(number(after, "reserved"), 0);
    EXPECT_EQ(after.body.at("lines").at(0).at("order_no").as_string(), no);
}

TEST_F(PointsApiTest, WhoHasTooFewPaysInMoney) {
    grant(29, "w-1");
    const std::string no = order_for(9900, 30);
    next_.language = language::zh;
    const answered short_of = pay(no, "points");
    EXPECT_EQ(short_of.status, 409);
    EXPECT_EQ(short_of.code(), "not_enough_points");
    EXPECT_EQ(short_of.detail(), "此订单需要 30 积分");
    EXPECT_EQ(short_of.body.at("title").as_string(), "积分不足");
    EXPECT_EQ(pay(no, "test").body.at("order").at("status").as_string(), "paid");
    EXPECT_EQ(number(mine(), "available"), 29);
}

TEST_F(PointsApiTest, TheMethodMustFitThePrices) {
    grant(100, "w-1");
    const answered money = pay(order_for(9900, 0), "points");
    EXPECT_EQ(money.status, 422);
    EXPECT_EQ(money.detail(), "the order has no price in points");
    EXPECT_EQ(money.body.at("field").as_string(), "method");
    const answered points = pay(order_for(0, 30), "test");
    EXPECT_EQ(points.status, 422);
    EXPECT_EQ(points.detail(), "the order is to be paid in points");
    EXPECT_EQ(pay(order_for(0, 0), "test").status, 200) << "it costs nothing at all";
}

TEST_F(PointsApiTest, AShopMayHaveNoPoints) {
    with_.points = nullptr;
    EXPECT_EQ(mine().detail(), "this shop has no points");
    EXPECT_EQ(grant(5, "w-1").status, 404);
    EXPECT_EQ(get(fmt::format("/admin/users/{}/points", buyer_)).status, 404);
}

}  // namespace
}  // namespace floodgate::api
