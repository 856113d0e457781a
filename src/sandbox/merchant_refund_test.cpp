// Refunds in part: the merchant's channels ask, the sandbox gives back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/merchant_fixture.hpp"

namespace floodgate::sandbox {
namespace {

using namespace std::chrono_literals;
using pay::refund_answer;
using testing::Contains;
using testing::Not;

class PartRefundTest : public EitherChannelTest {
protected:
    void SetUp() override {
        begin();
        act(number(), "pay");
        deliver();
        shop.messages.clear();
    }
    pay::refund_request part(int which, std::int64_t fen) const {
        return {number() + "R" + std::to_string(which), {fen}, {}, "a scratch"};
    }
    // Asked for, and asked again when it has settled.
    refund_answer settled(const pay::refund_request& r) {
        channel().refund(order, r);
        now += 1s;
        return channel().refund(order, r);
    }
    std::size_t refunds() {
        return control("GET", "/sandbox/trades/" + number()).at("refunds").as_array().size();
    }
};
INSTANTIATE_TEST_SUITE_P(Channels, PartRefundTest, testing::Values("alipay", "wechat"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(PartRefundTest, EachPartIsGivenBackOnceUntilNothingIsLeft) {
    const auto first = part(1, 900), same = part(2, 900);
    EXPECT_EQ(settled(first), refund_answer::done);
    EXPECT_EQ(settled(first), refund_answer::done) << "repeated, it is the same refund";
    EXPECT_EQ(refunds(), 1U);
    EXPECT_EQ(settled(same), refund_answer::done) << "as much again is another refund";
    EXPECT_EQ(refunds(), 2U);
    EXPECT_EQ(state(number()), "paid");
    deliver();
    EXPECT_THAT(heard(), Not(Contains("closed")));
    EXPECT_EQ(settled(part(3, order.amount.value - 1800)), refund_answer::done);
    EXPECT_EQ(state(number()), "refunded");
    EXPECT_EQ(settled(first), refund_answer::done) << "also when all of it is back";
    EXPECT_EQ(refunds(), 3U);
}

TEST_P(PartRefundTest, NoMoreIsGivenBackThanIsLeft) {
    EXPECT_EQ(settled(part(1, 900)), refund_answer::done);
    EXPECT_EQ(settled(part(2, order.amount.value - 899)), refund_answer::unsure);
    EXPECT_EQ(refunds(), 1U);
    EXPECT_EQ(settled(part(3, order.amount.value - 900)), refund_answer::done);
    EXPECT_EQ(state(number()), "refunded");
}

TEST_P(PartRefundTest, ALostAnswerToASecondPartIsFoundDone) {
    EXPECT_EQ(settled(part(1, 900)), refund_answer::done);
    for (const char* kind : {"http_500", "system_error", "rubbish", "wrong_key"}) {
        trouble(verb("alipay.trade.refund", "wechat.refund"), kind);
        EXPECT_EQ(channel().refund(order, part(2, 900)), refund_answer::unsure) << kind;
    }
    EXPECT_EQ(settled(part(2, 900)), refund_answer::done);
    EXPECT_EQ(refunds(), 2U);
    EXPECT_EQ(state(number()), "paid");
}

TEST_P(PartRefundTest, ANumberStandsForOneAmount) {
    EXPECT_EQ(settled(part(1, 900)), refund_answer::done);
    EXPECT_EQ(settled(part(1, 800)), refund_answer::unsure);
    EXPECT_EQ(refunds(), 1U);
}

}  // namespace
}  // namespace floodgate::sandbox
