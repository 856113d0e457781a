// Giving an order back: in part and in full, by its buyer and by an admin.

#include "shop/checkout_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::method;
using ledger::outcome;
using ledger::refund_cause;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckoutRefundTest : public CheckoutTest {
protected:
    static constexpr std::int64_t price = 9900;  // fen; of every order of the fixture

    checkout_step ask_back(const sale::promise& p, std::int64_t fen = 0) {
        return checkout_.ask_refund(p.order, p.buyer, {.amount = {fen}, .reason = "too big"})
            .value()
            .step;
    }
    checkout_step as_admin(const sale::promise& p, const checkout::refund_request& what) {
        return checkout_.refund(p.order, admin_, what).value().step;
    }
    inquiry_outcome inquire() { return checkout_.inquire(question()).value().outcome; }
    std::int64_t given_back(const sale::promise& p) { return orders_.find(p).refunded.value; }
    std::vector<ledger::refund> refunds(const sale::promise& p) {
        return book_.refunds().of(p.order).value();
    }
    std::vector<ledger::audit_line> audit() { return book_.audit().list(0, 10).value(); }

    const actor admin_{{8}, "192.0.2.0/24"};
};

TEST_F(CheckoutRefundTest, APartAndThenTheRest) {
    const auto p = order_in("paid");
    EXPECT_EQ(ask_back(p, 3), checkout_step::under_way);
    EXPECT_EQ(shown(p), "refunding");
    EXPECT_EQ(ask_back(p, 3), checkout_step::no_effect) << "one after the other";
    EXPECT_EQ(given_back(p), 0);
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_EQ(given_back(p), 3);
    EXPECT_THAT(gate_.released, IsEmpty()) << "the buyer still has it";

    EXPECT_EQ(ask_back(p), checkout_step::under_way);
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(shown(p), "refunded");
    EXPECT_EQ(given_back(p), price);
    EXPECT_EQ(gate_.released.size(), 1U);
    EXPECT_EQ(ask_back(p), checkout_step::no_effect);

    const auto asked = channel_->refund_requests(p.order);
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked[0].amount.value, 3);
    EXPECT_EQ(asked[0].reason, "too big");
    EXPECT_EQ(asked[1].amount.value, price - 3);
    EXPECT_NE(asked[0].number, asked[1].number);
    EXPECT_EQ(news_.size(), 4U) << "refunding, paid, refunding, refunded";
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_F(CheckoutRefundTest, AnUnclearAnswerIsAskedForUnderTheSameNumber) {
    const auto p = order_in("paid");
    ASSERT_EQ(ask_back(p, 3), checkout_step::under_way);
    channel_->refunds.queue(p.order, {pay::refund_answer::unsure, pay::refund_answer::unsure});
    EXPECT_EQ(inquire(), inquiry_outcome::unsure);
    EXPECT_EQ(inquire(), inquiry_outcome::unsure);
    EXPECT_EQ(shown(p), "refunding");
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    const auto asked = channel_->refund_requests(p.order);
    ASSERT_EQ(asked.size(), 3U);
    for (const auto& r : asked) {
        EXPECT_EQ(r.number, asked[0].number);
        EXPECT_EQ(r.amount.value, 3);
    }
    EXPECT_EQ(given_back(p), 3) << "once";
}

TEST_F(CheckoutRefundTest, NoMoreThanIsLeft) {
    const auto p = order_in("paid");
    const std::string picture = orders_.picture();
    EXPECT_EQ(ask_back(p, price + 1), checkout_step::too_much);
    EXPECT_EQ(as_admin(p, {.amount = {price + 1}, .reason = "no"}), checkout_step::too_much);
    EXPECT_EQ(orders_.picture(), picture);
    EXPECT_THAT(audit(), IsEmpty());
    ASSERT_EQ(ask_back(p, 3), checkout_step::under_way);
    ASSERT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(ask_back(p, price - 2), checkout_step::too_much);
    EXPECT_EQ(checkout_.ask_refund(p.order, p.buyer, {.amount = {price}}).value().left.value,
              price - 3);
    EXPECT_EQ(ask_back(p, price - 3), checkout_step::under_way);
    EXPECT_EQ(inquire(), inquiry_outcome::settled);
    EXPECT_EQ(shown(p), "refunded");
}

TEST_F(CheckoutRefundTest, ARequestThatMakesNoSenseIsRefused) {
    const auto p = order_in("paid");
    const std::string picture = orders_.picture();
    EXPECT_EQ(outcome(checkout_.ask_refund(p.order, p.buyer, {.amount = {-1}})), errc::invalid);
    const std::string long_reason(ledger::refund_reason_bytes_max + 1, 'x');
    EXPECT_EQ(outcome(checkout_.ask_refund(p.order, p.buyer, {.reason = long_reason})),
              errc::invalid);
    EXPECT_EQ(outcome(checkout_.refund({7}, admin_, {.reason = "no such order"})), errc::not_found);
    EXPECT_EQ(orders_.picture(), picture);
    EXPECT_THAT(audit(), IsEmpty());
}

TEST_F(CheckoutRefundTest, ABuyerHasSevenDaysAndAnAdminForever) {
    const auto in_time = order_in("paid"), late = order_in("paid");
    clock_.set(in_time.at + checkout::refund_within_default);
    EXPECT_EQ(ask_back(in_time), checkout_step::under_way) << "to the millisecond";
    clock_.set(late.at + checkout::refund_within_default + milliseconds(1));
    EXPECT_EQ(ask_back(late), checkout_step::too_late);
    EXPECT_EQ(shown(late), "paid");
    EXPECT_EQ(as_admin(late, {.reason = "a good customer"}), checkout_step::under_way);
}

TEST_F(CheckoutRefundTest, TheTimeToGiveBackIsASetting) {
    checkout strict({moves_, channels_, settlement_, clock_}, milliseconds(10));
    const auto p = order_in("paid");
    clock_.set(p.at + milliseconds(11));
    EXPECT_EQ(strict.ask_refund(p.order, p.buyer, {}).value().step, checkout_step::too_late);
    clock_.set(p.at + milliseconds(10));
    EXPECT_EQ(strict.ask_refund(p.order, p.buyer, {}).value().step, checkout_step::under_way);
}

TEST_F(CheckoutRefundTest, AnAdminsRefundIsAuditedAndTellsWhy) {
    const auto p = order_in("paid");
    EXPECT_EQ(as_admin(p, {.amount = {5}, .reason = "broken"}), checkout_step::under_way);
    const auto r = refunds(p).at(0);
    EXPECT_EQ(r.cause, refund_cause::admin);
    EXPECT_EQ(r.asked_by, admin_.who);
    EXPECT_EQ(r.reason, "broken");
    ASSERT_EQ(audit().size(), 1U);
    const ledger::audit_line line = audit()[0];
    EXPECT_EQ(line.action, "order.refunded");
    EXPECT_EQ(line.who, admin_.who);
    EXPECT_EQ(line.address, admin_.address);
    EXPECT_THAT(line.subject, HasSubstr(std::to_string(p.order.value)));
    EXPECT_THAT(line.details, HasSubstr("broken"));
    EXPECT_THAT(line.details, HasSubstr("5"));
    EXPECT_EQ(as_admin(p, {.amount = {5}, .reason = "broken"}), checkout_step::no_effect);
    EXPECT_EQ(audit().size(), 1U) << "what was not done has no line";
}

TEST_F(CheckoutRefundTest, WithoutItsAuditLineAnAdminsRefundIsNotMade) {
    const auto p = order_in("paid");
    verbs_.sql("ALTER TABLE audit RENAME TO audit_away");
    EXPECT_TRUE(checkout_.refund(p.order, admin_, {.reason = "broken"}).has_error());
    verbs_.sql("ALTER TABLE audit_away RENAME TO audit");
    EXPECT_EQ(shown(p), "paid");
    EXPECT_THAT(refunds(p), IsEmpty());
}

// Extra money is not the order's: what the buyer may want back is what the order was paid with.
TEST_F(CheckoutRefundTest, ARefundAndExtraMoneyDoNotMeet) {
    const auto p = order_in("paid");
    ASSERT_EQ(checkout_.notified(p.order, "other", pay::trade::paid).value(),
              checkout_step::under_way);
    EXPECT_EQ(ask_back(p), checkout_step::under_way);
    EXPECT_EQ(questions(), 2);
    for (const auto& q : moves_.all_questions({}, 10).value())
        EXPECT_EQ(checkout_.inquire(q).value().outcome, inquiry_outcome::settled);
    EXPECT_EQ(shown(p), "refunded");
    EXPECT_EQ(given_back(p), price);
    EXPECT_EQ(channel_->refund_requests(p.order).at(0).amount.value, price);
    EXPECT_EQ(other_->refund_requests(p.order).at(0).amount.value, price);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::shop
