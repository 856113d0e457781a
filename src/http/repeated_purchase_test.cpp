#include "http/repeated_purchase.hpp"

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "api/handler_fixture.hpp"
#include "api/openapi_contract.hpp"

namespace floodgate::http {
namespace {

class RepeatedPurchaseTest : public api::HandlerTest {
protected:
    RepeatedPurchaseTest() {
        sale_ = published_sale(5);
        EXPECT_EQ(ask().what, sale::answer::accepted);
        repeated_ = ask();
        EXPECT_EQ(repeated_.what, sale::answer::repeated);
        as_buyer(7);
    }
    sale::verdict ask() {
        const auto lane = turnstile_.open_lane([] {});
        sale::attempt a{.sale = {sale_}, .buyer = {7}};
        a.key[0] = std::byte{1};
        lane->submit({&a, 1}, clock_.now());
        std::vector<sale::verdict> out;
        lane->collect(out);
        return out.at(0);
    }
    // The status of the answer and of the order in it.
    static std::pair<int, std::string> told(const std::optional<api::reply>& r) {
        if (!r) return {0, ""};
        EXPECT_EQ(api::breach_of_contract("POST", "/api/v1/sales/{id}/orders", *r), "") << r->body;
        return {r->status, std::string(boost::json::parse(r->body).at("status").as_string())};
    }
    std::string number() const { return std::to_string(repeated_.order.value); }

    std::int64_t sale_ = 0;
    sale::verdict repeated_;
};

using answer = std::pair<int, std::string>;

TEST_F(RepeatedPurchaseTest, IsTheFirstAnswerAgainWhileTheOrderIsQueued) {
    const auto r = find_repeat(with_, repeated_);
    EXPECT_EQ(told(r), answer(202, "queued"));
    EXPECT_EQ(r->body, R"({"order_no":")" + number() + R"(","status":"queued"})");
    EXPECT_EQ(told(look_up_repeat(with_, repeated_)), answer(202, "queued"));
}

TEST_F(RepeatedPurchaseTest, IsTheOrderOnceItIsEntered) {
    enter_all();
    EXPECT_FALSE(find_repeat(with_, repeated_).has_value()) << "memory has not heard of it";
    EXPECT_EQ(told(look_up_repeat(with_, repeated_)), answer(200, "unpaid"));
    recent_.apply({.what = book_.orders().find(repeated_.order).value()});
    const auto r = find_repeat(with_, repeated_);
    EXPECT_EQ(told(r), answer(200, "unpaid"));
    EXPECT_EQ(boost::json::parse(r->body).at("order_no").as_string(), number());
}

// Regression (L2): a cancelled order was called `queued`.
TEST_F(RepeatedPurchaseTest, IsTheClosedOrderAfterItWasCancelled) {
    enter_all();
    ASSERT_EQ(post("/orders/" + number() + "/cancel").status, 200);
    EXPECT_EQ(ask().what, sale::answer::repeated) << "the key outlives the order";
    EXPECT_EQ(told(look_up_repeat(with_, repeated_)), answer(200, "closed"));
}

TEST_F(RepeatedPurchaseTest, SaysNothingOfAnOrderThatCannotBeLookedUp) {
    enter_all();
    break_ledger();
    EXPECT_FALSE(look_up_repeat(with_, repeated_).has_value());
    mend_ledger();
    const sale::verdict v = undecided_repeat(repeated_);
    EXPECT_EQ(v.what, sale::answer::undecided) << "busy would mean that nothing was promised";
    EXPECT_EQ(v.order, repeated_.order);
    EXPECT_EQ(v.reply_to, repeated_.reply_to);
}

TEST_F(RepeatedPurchaseTest, TellsNobodyAnotherBuyersOrder) {
    enter_all();
    recent_.apply({.what = book_.orders().find(repeated_.order).value()});
    repeated_.buyer = {8};
    EXPECT_FALSE(find_repeat(with_, repeated_).has_value());
    EXPECT_FALSE(look_up_repeat(with_, repeated_).has_value());
}

}  // namespace
}  // namespace floodgate::http
