// Payment inquiries at several channels: side by side, channels that hang or give no clear answers,
// and money that comes too late or twice.

#include <gtest/gtest.h>

#include <functional>

#include "base/eventually.hpp"
#include "jobs/book_fixture.hpp"
#include "jobs/payment_inquiries.hpp"
#include "pay/scripted_channel.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;
using pay::trade;

// Gives no clear answer, and only when it is allowed to.
class hanging_channel final : public pay::channel {
public:
    hanging_channel(std::string method, std::function<bool()> let_go)
        : method_(std::move(method)), let_go_(std::move(let_go)) {}
    std::string_view method() const override { return method_; }
    result<pay::checkout> begin(const sale::order&) override { return pay::checkout{}; }
    trade query(const sale::order&) override {
        EXPECT_TRUE(eventually(let_go_)) << "it was waited for";
        return trade::unsure;
    }
    trade close(const sale::order&) override { return trade::unsure; }
    pay::refund_answer refund(const sale::order&, const pay::refund_request&) override {
        return pay::refund_answer::unsure;
    }

private:
    const std::string method_;
    const std::function<bool()> let_go_;
};

struct PaymentChannelsTest : BookTest {
    PaymentChannelsTest() : channel_(added("test")), other_(added("other")) {}

    pay::scripted_channel* added(const char* method) {
        auto scripted = std::make_unique<pay::scripted_channel>(method);
        pay::scripted_channel* const added = scripted.get();
        channels_.add(std::move(scripted));
        return added;
    }
    // Each is due a moment after the one before, so that they are asked in this order.
    sale::order closing_order(std::int64_t buyer, const std::string& method = "test") {
        clock_.advance(1ms);
        auto o = buy_with(buyer, method);
        EXPECT_TRUE(moves_.cancel(o.no, o.buyer, clock_.now()).value().moved);
        return o;
    }
    std::vector<std::string> notes() {
        std::vector<std::string> all;
        for (const auto& q : moves_.all_questions({}, 10).value()) all.push_back(q.note);
        return all;
    }
    bool extra_money_stands() {
        for (const alarm::alert& a : alarms_.standing())
            if (a.kind == alarm::kind::extra_money) return true;
        return false;
    }

    pay::channels channels_;
    pay::scripted_channel* channel_;
    pay::scripted_channel* other_;
    shop::checkout checkout_{{moves_, channels_, after_, clock_}};
    payment_inquiries ask_{{moves_, refunds_, checkout_, alarms_, clock_}};
};

// The channel that hangs answers only after the other one's order was closed, whichever of the two
// is asked first.
TEST_F(PaymentChannelsTest, AChannelThatHangsDoesNotHoldUpAnother) {
    std::int64_t buyer = 0;
    for (const char* name : {"a_hanging", "z_hanging"}) {
        SCOPED_TRACE(name);
        const auto quick = closing_order(++buyer);
        channels_.add(std::make_unique<hanging_channel>(
            name, [&] { return state(quick.no) == "closed cancelled"; }));
        const auto slow = closing_order(++buyer, name);
        ask_.step();
        EXPECT_EQ(state(quick.no), "closed cancelled");
        EXPECT_EQ(state(slow.no), "unpaid");
        ASSERT_TRUE(moves_.pay(slow.no, name, clock_.now()).value().moved);
    }
    expect_books_agree();
}

TEST_F(PaymentChannelsTest, AfterThreeUnclearAnswersTheRestOfAChannelWaits) {
    std::vector<sale::order> silent;
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) silent.push_back(closing_order(buyer));
    const auto well = closing_order(6, "other");
    channel_->queries.always(trade::unsure);
    ask_.step();
    EXPECT_EQ(channel_->queries.calls(), 3U);
    EXPECT_EQ(state(well.no), "closed cancelled") << "the other channel is asked";
    EXPECT_EQ(ask_.read_figures().asked, 4U);
    EXPECT_EQ(ask_.read_figures().open, 5);
    EXPECT_EQ(notes(),
              (std::vector<std::string>{"no clear answer", "no clear answer", "no clear answer",
                                        "the channel gives no clear answers",
                                        "the channel gives no clear answers"}));
    clock_.advance(999ms);
    ask_.step();
    EXPECT_EQ(channel_->queries.calls(), 3U) << "not before their time";

    clock_.advance(1ms);
    ask_.step();
    EXPECT_EQ(channel_->queries.calls(), 4U) << "once in a step, to see whether it is back";

    channel_->queries.always(trade::closed);
    clock_.advance(2s);
    ask_.step();
    for (const auto& o : silent) EXPECT_EQ(state(o.no), "closed cancelled");
    expect_books_agree();
}

TEST_F(PaymentChannelsTest, AClearAnswerInBetweenCountsFromTheStart) {
    std::vector<sale::order> orders;
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) orders.push_back(closing_order(buyer));
    channel_->queries.always(trade::unsure);
    channel_->queries.queue(orders[2].no, {trade::closed});
    ask_.step();
    EXPECT_EQ(channel_->queries.calls(), 5U);
    EXPECT_EQ(state(orders[2].no), "closed cancelled");
}

TEST_F(PaymentChannelsTest, RefundsThatAreUnderWayHoldUpNoOthers) {
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) {
        clock_.advance(1ms);
        const auto o = buy_with(buyer, "test");
        ASSERT_TRUE(moves_.pay(o.no, "test", clock_.now()).value().moved);
        ASSERT_TRUE(moves_.ask_refund(o.no, o.buyer, {}, clock_.now()).value().moved);
    }
    channel_->refunds.always(pay::refund_answer::under_way);
    ask_.step();
    EXPECT_EQ(channel_->refunds.calls(), 5U);
    EXPECT_EQ(ask_.read_figures().unsure, 0U);
    EXPECT_EQ(notes(), std::vector<std::string>(5, "the channel has not finished the refund"));
}

TEST_F(PaymentChannelsTest, PaidInBothWaysItIsPaidOnceAndTheRestGoesBack) {
    const auto o = buy_with(1, "test");
    ASSERT_TRUE(
        moves_.begin_payment(o.no, o.buyer, {"other", {o.amount}}, clock_.now()).value().moved);
    ASSERT_EQ(checkout_.notified(o.no, "other", trade::paid).value(), shop::checkout_step::done);
    channel_->queries.always(trade::paid);  // seen when its trade is to be closed
    ask_.step();
    EXPECT_EQ(refunds_.extra({o.no.value + 1}, 10).value().size(), 1U);
    clock_.advance(1s);
    for (int i = 0; i < 3; ++i) ask_.step();
    EXPECT_EQ(channel_->refund_requests(o.no).size(), 1U);
    EXPECT_EQ(other_->refund_requests(o.no).size(), 0U);
    EXPECT_EQ(ask_.read_figures().open, 0);
    EXPECT_EQ(state(o.no), "paid");
    EXPECT_EQ(told(o.no), std::vector<std::string>{"paid"});
    expect_returned({});
    expect_books_agree();
}

TEST_F(PaymentChannelsTest, ARefundInPartLeavesTheUnitWithItsBuyer) {
    const auto o = buy_with(1, "test");
    ASSERT_EQ(checkout_.notified(o.no, "test", trade::paid).value(), shop::checkout_step::done);
    const auto give_back = [&](std::int64_t fen) {
        ASSERT_EQ(checkout_.ask_refund(o.no, o.buyer, {.amount = {fen}}).value().step,
                  shop::checkout_step::under_way);
        ask_.step();
    };
    give_back(100);
    EXPECT_EQ(state(o.no), "paid");
    EXPECT_EQ(now(o.no).refunded.value, 100);
    expect_returned({});
    give_back(0);
    EXPECT_EQ(state(o.no), "refunded");
    expect_returned({o.no});
    EXPECT_EQ(told(o.no),
              (std::vector<std::string>{"paid", "refunding", "paid", "refunding", "refunded"}));
    EXPECT_FALSE(extra_money_stands()) << "what a buyer wants back is nothing unusual";
    expect_books_agree();
}

TEST_F(PaymentChannelsTest, ExtraMoneyRaisesAnAlertForAnHour) {
    const auto late = closing_order(1);
    ask_.step();
    EXPECT_FALSE(extra_money_stands());
    ASSERT_EQ(checkout_.notified(late.no, "test", trade::paid).value(),
              shop::checkout_step::under_way);
    ask_.step();
    ASSERT_EQ(alarms_.standing().size(), 1U);
    const alarm::alert a = alarms_.standing()[0];
    EXPECT_EQ(a.kind, alarm::kind::extra_money);
    EXPECT_EQ(a.subject, "payments");
    EXPECT_EQ(a.detail,
              "payments that came too late or a second time within 60 minutes: 1; "
              "the money goes back by itself");
    EXPECT_EQ(ask_.read_figures().open, 0) << "it went back";
    clock_.advance(1h);
    ask_.step();
    EXPECT_TRUE(extra_money_stands());
    clock_.advance(1ms);
    ask_.step();
    EXPECT_FALSE(extra_money_stands());
}

}  // namespace
}  // namespace floodgate::jobs
