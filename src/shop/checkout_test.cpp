#include <array>
#include <tuple>

#include "pay/test_channel.hpp"
#include "shop/checkout_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::method;
using ledger::move_verbs;
using ledger::outcome;
using pay::trade;
using testing::IsEmpty;

// Every state x every deed.

enum class deed : std::uint8_t {
    begin = 1,   // the channel sends the buyer elsewhere
    begin_paid,  // the channel has the money at once
    cancel,
    refund,
    told_paid,  // by the channel, unasked
    told_closed,
    told_absent,
    told_open,
    told_unsure,
    asked_paid,  // as the channel answers when it is asked to close
    asked_closed,
    asked_unsure,
    gave_back,  // as it answers when it is asked to refund
    kept,
};
constexpr std::size_t deeds = 14;

class CheckoutTableTest : public CheckoutTest {
protected:
    // "done paid": the step, then the order as the ledger has it afterwards.
    std::string perform(deed a, const sale::promise& p) {
        switch (a) {
        case deed::begin: return said(checkout_.begin(p.order, p.buyer, method));
        case deed::begin_paid:
            pays_at_once();
            return said(checkout_.begin(p.order, p.buyer, method));
        case deed::cancel: return said(checkout_.cancel(p.order, p.buyer));
        case deed::refund: return said(checkout_.ask_refund(p.order, p.buyer, {}));
        case deed::told_paid: return told(p, trade::paid);
        case deed::told_closed: return told(p, trade::closed);
        case deed::told_absent: return told(p, trade::absent);
        case deed::told_open: return told(p, trade::open);
        case deed::told_unsure: return told(p, trade::unsure);
        case deed::asked_paid: return asked(p, trade::paid);
        case deed::asked_closed: return asked(p, trade::closed);
        case deed::asked_unsure: return asked(p, trade::unsure);
        case deed::gave_back: return asked_back(p, pay::refund_answer::done);
        case deed::kept: return asked_back(p, pay::refund_answer::unsure);
        }
        return "?";
    }

    void try_one(const char* from, deed a, const char* expected) {
        const auto p = order_in(from);
        const auto before = orders_.find(p);
        const std::string picture = orders_.picture();
        gate_.released.clear();
        news_.clear();
        channel_->begins.always(pay::checkout{.paid = false, .redirect = "https://pay.example/1"});
        const std::string got = perform(a, p);
        const auto now = orders_.find(p);
        if (expected) {
            EXPECT_EQ(got + " " + move_verbs::shown(now), expected);
        } else {
            EXPECT_EQ(got, "no_effect");
            EXPECT_EQ(orders_.picture(), picture);
        }
        const bool unit_back = holds_stock(before.state) && !holds_stock(now.state);
        EXPECT_EQ(gate_.released.size(), unit_back ? 1U : 0U);
        const bool changed = move_verbs::shown(before) != move_verbs::shown(now);
        EXPECT_EQ(news_.size(), changed ? 1U : 0U);
    }

private:
    std::string said(const result<checkout_answer>& a) { return to_text(a.value().step); }
    std::string told(const sale::promise& p, trade t) {
        return to_text(checkout_.notified(p.order, method, t).value());
    }
    std::string asked(const sale::promise& p, trade t) {
        channel_->queries.always(t);
        return inquired({.order = orders_.find(p),
                         .method = method,
                         .what = ledger::question::close,
                         .note = "",
                         .asked_since = p.at});
    }
    std::string asked_back(const sale::promise& p, pay::refund_answer a) {
        channel_->refunds.always(a);
        ledger::open_question q{.order = orders_.find(p),
                                .method = method,
                                .what = ledger::question::refund,
                                .note = "",
                                .asked_since = p.at};
        const auto known = book_.refunds().of(p.order).value();
        if (known.empty()) {
            q.refund.number = "no such refund";
            q.refund.order = p.order;
        } else {
            q.refund = known.at(0);
        }
        return inquired(q);
    }
    std::string inquired(const ledger::open_question& q) {
        const inquiry i = checkout_.inquire(q).value();
        EXPECT_EQ(i.note.empty(), i.outcome == inquiry_outcome::settled);
        return i.outcome == inquiry_outcome::settled ? "done" : "no_effect";
    }
};

constexpr const char* no = nullptr;  // no effect, nothing was changed
constexpr const char* paid = "done paid";
constexpr const char* shut = "done closed cancelled";
constexpr const char* to_pay = "under_way unpaid";
constexpr const char* closing = "under_way unpaid closing cancelled";
constexpr const char* gone = "done unpaid";  // the trade is closed, and another may be begun
constexpr const char* refund = "under_way refunding";
constexpr const char* back = "done refunded";
constexpr const char* late = "under_way closed cancelled";
constexpr const char* lost = "under_way failed unknown_sale";
// The inquiry itself moved nothing, but found money that has to go back.
constexpr const char* late_ = "no_effect closed cancelled";
constexpr const char* lost_ = "no_effect failed unknown_sale";

struct line {
    const char* from;
    std::array<const char*, deeds> to;
};
// clang-format off
constexpr std::array<line, 9> lines{{
    // In the order of `deed`: what buyers do; what the channel tells; what it answers.
    {"unpaid",    {to_pay, paid, shut, no,      paid, no, no, no, no,      paid, no, no, no, no}},
    {"begun",     {to_pay, paid, closing, no,   paid, gone, gone, no, no,  paid, gone, no, no, no}},
    {"closing",   {no, no, no, no,              paid, shut, shut, no, no,  paid, shut, no, no, no}},
    {"paid",      {no, no, no, refund,          no, no, no, no, no,        no, no, no, no, no}},
    {"refunding", {no, no, no, no,              no, no, no, no, no,        no, no, no, back, no}},
    {"refunded",  {no, no, no, no,              no, no, no, no, no,        no, no, no, no, no}},
    {"closed",    {no, no, no, no,              late, no, no, no, no,      late_, no, no, no, no}},
    {"late",      {no, no, no, no,              no, no, no, no, no,        no, no, no, shut, no}},
    {"failed",    {no, no, no, no,              lost, no, no, no, no,      lost_, no, no, no, no}},
}};
// clang-format on

TEST_F(CheckoutTableTest, EveryStateAnswersEveryDeedAsTheTableSays) {
    for (const line& l : lines)
        for (std::size_t i = 0; i < deeds; ++i) {
            SCOPED_TRACE(fmt::format("{}, deed {}", l.from, i + 1));
            try_one(l.from, static_cast<deed>(i + 1), l.to.at(i));
        }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_F(CheckoutTableTest, AForeignOrderIsLikeAMissingOne) {
    const auto p = order_in("begun");
    const std::string picture = orders_.picture();
    for (const sale::order_no number : {p.order, sale::order_no{7}}) {
        EXPECT_EQ(outcome(checkout_.begin(number, {99}, method)), errc::not_found);
        EXPECT_EQ(outcome(checkout_.cancel(number, {99})), errc::not_found);
        EXPECT_EQ(outcome(checkout_.ask_refund(number, {99}, {})), errc::not_found);
    }
    EXPECT_EQ(outcome(checkout_.notified({7}, method, trade::paid)), errc::not_found);
    EXPECT_EQ(outcome(checkout_.notified({7}, method, trade::closed)), errc::not_found);
    EXPECT_EQ(orders_.picture(), picture);
    EXPECT_EQ(channel_->begins.calls(), 0U);
}

// Begin.

TEST_F(CheckoutTest, ABuyerWhoPaysElsewhereIsToldWhere) {
    const auto p = order_in("unpaid");
    const auto begun = checkout_.begin(p.order, p.buyer, method).value();
    EXPECT_EQ(begun.to_pay.redirect, "https://pay.example/1");
    EXPECT_EQ(checkout_.begin(p.order, p.buyer, method).value().to_pay.redirect,
              begun.to_pay.redirect)
        << "asking again does no harm";
    EXPECT_TRUE(news_.empty());
}

TEST_F(CheckoutTest, OnlyChannelsThatAreOpenAreAccepted) {
    const auto p = order_in("unpaid");
    EXPECT_EQ(checkout_.methods(), (std::vector<std::string_view>{method, "other"}));
    EXPECT_TRUE(checkout_.accepts("other"));
    EXPECT_FALSE(checkout_.accepts("gold"));
    EXPECT_EQ(outcome(checkout_.begin(p.order, p.buyer, "gold")), errc::invalid);
}

// A sale may be paid in money, in points or in either, as its prices say.
TEST_F(CheckoutTest, AMethodThatDoesNotFitThePricesIsRefusedBeforeAnythingIsWritten) {
    const auto p = order_in("unpaid");
    for (const auto& [sql, money, test] :
         {std::tuple{"UPDATE orders SET amount_fen = 0, amount_points = 5", false, false},
          std::tuple{"UPDATE orders SET amount_fen = 0, amount_points = 0", false, true},
          std::tuple{"UPDATE orders SET amount_fen = 7, amount_points = 0", true, true}}) {
        SCOPED_TRACE(sql);
        verbs_.db().writer()->run(sql);
        const std::string picture = orders_.picture();
        pay::test_channel trial;
        EXPECT_EQ(trial.refuses(orders_.find(p)).value().has_value(), !test);
        const auto begun = checkout_.begin(p.order, p.buyer, method).value();
        EXPECT_EQ(begun.step, money ? checkout_step::under_way : checkout_step::no_price);
        if (!money) {
            EXPECT_EQ(orders_.picture(), picture);
        }
        EXPECT_EQ(channel_->begins.calls(), money ? 1U : 0U);
    }
}

TEST_F(CheckoutTest, AfterTheDeadlineNoPaymentBegins) {
    const auto p = order_in("unpaid");
    clock_.set(orders_.deadline(p));
    EXPECT_EQ(checkout_.begin(p.order, p.buyer, method).value().step, checkout_step::too_late);
    EXPECT_EQ(channel_->begins.calls(), 0U);
    const auto gone = order_in("closing");
    clock_.set(orders_.deadline(gone));
    EXPECT_EQ(checkout_.begin(gone.order, gone.buyer, method).value().step,
              checkout_step::no_effect)
        << "that it is being closed comes first";
}

TEST_F(CheckoutTest, AChannelThatFailsLeavesAPaymentThatIsBegun) {
    const auto p = order_in("unpaid");
    channel_->begins.always(make_error_code(errc::store_unavailable));
    EXPECT_EQ(outcome(checkout_.begin(p.order, p.buyer, method)), errc::store_unavailable);
    EXPECT_EQ(shown(p), "unpaid");
    EXPECT_EQ(checkout_.cancel(p.order, p.buyer).value().step, checkout_step::under_way)
        << "the channel may have heard of it: it has the last word";
}

TEST_F(CheckoutTest, MoneyThatTheLedgerCouldNotBookIsFoundByAsking) {
    const auto p = order_in("unpaid");
    pays_at_once();
    // The ledger fails from the moment the payment is begun in it.
    how_->after = [this](std::string_view sql) {
        if (sql.starts_with("COMMIT")) break_ledger();
    };
    EXPECT_EQ(outcome(checkout_.begin(p.order, p.buyer, method)), errc::store_unavailable);
    how_->after = nullptr;
    mend_ledger();
    EXPECT_EQ(shown(p), "unpaid");
    clock_.set(orders_.deadline(p));
    ASSERT_EQ(moves_.close_due(clock_.now(), 10).value().closing.size(), 1U);
    channel_->queries.always(trade::paid);
    EXPECT_EQ(checkout_.inquire(question()).value().outcome, inquiry_outcome::settled);
    EXPECT_EQ(shown(p), "paid");
    EXPECT_THAT(gate_.released, IsEmpty());
}

// Late money.

TEST_F(CheckoutTest, MoneyThatComesAfterTheUnitWasGivenAwayGoesBackByItself) {
    const auto p = order_in("closing");
    EXPECT_EQ(checkout_.notified(p.order, method, trade::closed).value(), checkout_step::done);
    EXPECT_EQ(gate_.released.size(), 1U);
    const std::size_t told = news_.size();

    EXPECT_EQ(checkout_.notified(p.order, method, trade::paid).value(), checkout_step::under_way);
    EXPECT_EQ(checkout_.notified(p.order, method, trade::paid).value(), checkout_step::no_effect)
        << "a message that is repeated does no harm";
    EXPECT_EQ(questions(), 1);
    channel_->refunds.queue(p.order, {pay::refund_answer::unsure});
    EXPECT_EQ(checkout_.inquire(question()).value().outcome, inquiry_outcome::unsure);
    EXPECT_EQ(questions(), 1) << "asked until the money is back";
    EXPECT_EQ(checkout_.inquire(question()).value().outcome, inquiry_outcome::settled);
    EXPECT_EQ(questions(), 0);
    EXPECT_EQ(channel_->refunds.calls(), 2U);
    EXPECT_EQ(shown(p), "closed cancelled");
    EXPECT_EQ(gate_.released.size(), 1U) << "the unit came back once";
    EXPECT_EQ(news_.size(), told) << "the buyer's order is what it was";
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_F(CheckoutTest, AMessageThatTheLedgerCouldNotTakeIsToBeSentAgain) {
    const auto p = order_in("begun");
    break_ledger();
    EXPECT_EQ(outcome(checkout_.notified(p.order, method, trade::paid)), errc::store_unavailable);
    mend_ledger();
    EXPECT_EQ(checkout_.notified(p.order, method, trade::paid).value(), checkout_step::done);
    EXPECT_EQ(shown(p), "paid");
}

// Inquire.

TEST_F(CheckoutTest, AnOpenTradeIsClosedBeforeTheOrderIs) {
    const auto p = order_in("closing");
    EXPECT_EQ(checkout_.inquire(question()).value().outcome, inquiry_outcome::settled);
    EXPECT_EQ(channel_->closes.calls(), 1U);
    EXPECT_EQ(shown(p), "closed cancelled");
}

// Query, close, query again: every answer that a channel may give to the three, against the rule
// that an order is closed only on the channel's last word, and that money always wins.
TEST_F(CheckoutTest, ATradeIsAskedAgainAfterItWasClosed) {
    constexpr std::array all{trade::absent, trade::open, trade::paid, trade::closed, trade::unsure};
    const auto is_shut = [](trade t) { return t == trade::closed || t == trade::absent; };
    for (const trade first : all)
        for (const trade closed : all)
            for (const trade again : all) {
                SCOPED_TRACE(
                    fmt::format("{}, {}, {}", to_text(first), to_text(closed), to_text(again)));
                const bool tries_to_close = first == trade::open;
                const bool asks_again = tries_to_close && is_shut(closed);
                trade last = first;
                if (tries_to_close) last = closed;
                if (asks_again) last = again;

                const auto p = order_in("closing");
                gate_.released.clear();
                channel_->queries.queue(p.order, {first, again});
                channel_->closes.queue(p.order, {closed});
                const auto queries = channel_->queries.calls(), closes = channel_->closes.calls();
                const auto done = checkout_.inquire({.order = orders_.find(p),
                                                     .method = method,
                                                     .what = ledger::question::close,
                                                     .note = "",
                                                     .asked_since = p.at});
                EXPECT_EQ(channel_->closes.calls() - closes, tries_to_close ? 1U : 0U);
                EXPECT_EQ(channel_->queries.calls() - queries, asks_again ? 2U : 1U);
                const bool settled = last == trade::paid || is_shut(last);
                EXPECT_EQ(done.value().outcome == inquiry_outcome::settled, settled);
                EXPECT_EQ(gate_.released.size(), is_shut(last) ? 1U : 0U);
                EXPECT_EQ(shown(p), last == trade::paid ? "paid"
                                    : is_shut(last)     ? "closed cancelled"
                                                        : "unpaid closing cancelled");
            }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_F(CheckoutTest, ARefundThatIsNotFinishedIsExplainedToTheOperator) {
    const auto p = order_in("refunding");
    using enum pay::refund_answer;
    for (const auto& [said, note] :
         {std::pair(under_way, "not finished"), std::pair(abnormal, "ABNORMAL: "),
          std::pair(closed, "CLOSED: "), std::pair(unsure, "no clear answer")}) {
        channel_->refunds.always(said);
        const inquiry i = checkout_.inquire(question()).value();
        EXPECT_THAT(i.note, testing::HasSubstr(note));
        EXPECT_EQ(i.outcome, said == unsure ? inquiry_outcome::unsure : inquiry_outcome::waiting);
        EXPECT_EQ(shown(p), "refunding");
    }
}

TEST_F(CheckoutTest, WhatIsNotClearIsSaidForTheOperator) {
    const auto p = order_in("closing");
    const auto note = [&] { return checkout_.inquire(question()).value().note; };
    channel_->closes.always(trade::open);
    EXPECT_EQ(note(), "the trade is still open");
    channel_->closes.always(trade::unsure);
    EXPECT_EQ(note(), "no clear answer");
    channel_->throws = true;
    EXPECT_EQ(note(), "the channel fell over");
    ledger::open_question orphan = question();
    orphan.method = "gone";
    EXPECT_EQ(checkout_.inquire(orphan).value().note, "no channel");
    EXPECT_EQ(shown(p), "unpaid closing cancelled");
}

}  // namespace
}  // namespace floodgate::shop
