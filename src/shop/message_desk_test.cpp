#include "shop/message_desk.hpp"

#include "pay/scripted_channel.hpp"
#include "shop/book_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::method;
using ledger::move_verbs;
using pay::trade;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MessageDeskTest : public BookTest {
protected:
    MessageDeskTest() {
        auto scripted = std::make_unique<pay::scripted_channel>(method);
        channel_ = scripted.get();
        channel_->reads = [this](const pay::raw_message&) { return said_; };
        channels_.add(std::move(scripted));
        channels_.add(std::make_unique<pay::scripted_channel>("silent"));
    }
    sale::promise order_in(std::string_view state) {
        return orders_.order_in(state, sale_, ++buyer_);
    }
    std::string shown(const sale::promise& p) { return move_verbs::shown(orders_.find(p)); }
    // A message that is in order, and what it says.
    pay::message about(const sale::promise& p, trade says = trade::paid) {
        return {.order = p.order,
                .says = says,
                .amount = orders_.find(p).amount,
                .channel_no = "2026_1"};
    }
    message_verdict take(pay::message m) {
        said_ = std::move(m);
        return desk_
            .take(method, {.content_type = "text/plain", .body = "as it came"}, clock_.now())
            .value();
    }
    void expect_refused(const pay::message& m, const std::string& word) {
        const std::string picture = orders_.picture();
        const message_verdict v = take(m);
        EXPECT_EQ(v.word, word);
        EXPECT_FALSE(v.taken);
        EXPECT_TRUE(v.refused);
        EXPECT_EQ(v.answer.body, "fail");
        EXPECT_EQ(orders_.picture(), picture);
        EXPECT_EQ(newest().verdict, word);
    }
    // A message about a refund of the order: the oldest that is asked for.
    pay::message about_refund(const sale::promise& p, trade says = trade::unsure) {
        pay::message m = about(p, says);
        m.refund = {.number = orders_.oldest_refund(p).value(),
                    .amount = orders_.find(p).amount,
                    .says = pay::refund_answer::done};
        return m;
    }
    // Whether the channel is to be asked now, although the inquiry was postponed by an hour.
    bool is_due() { return !moves_.open_questions(clock_.now(), 9).value().empty(); }
    void postpone() {
        const auto q = moves_.all_questions({}, 9).value().at(0);
        moves_.ask_again(q, clock_.now() + std::chrono::hours(1), "not yet").value();
        ASSERT_FALSE(is_due());
    }
    std::string note() { return moves_.all_questions({}, 9).value().at(0).note; }
    ledger::channel_message newest() { return book_.messages().list(0, 1).value().at(0); }

    pay::channels channels_;
    pay::scripted_channel* channel_ = nullptr;
    pay::message said_;
    checkout checkout_{{moves_, channels_, settlement_, clock_}};
    message_desk desk_{{checkout_, channels_, book_}};
    std::int64_t buyer_ = 0;
};

TEST_F(MessageDeskTest, AGenuineMessageMovesTheOrderAndIsKept) {
    const auto p = order_in("begun");
    const message_verdict v = take(about(p));
    EXPECT_EQ(v.word, "entered");
    EXPECT_TRUE(v.taken);
    EXPECT_FALSE(v.refused);
    EXPECT_EQ(v.answer.body, "success");
    EXPECT_EQ(shown(p), "paid");
    EXPECT_THAT(news_, SizeIs(1));
    const auto kept = newest();
    EXPECT_EQ(kept.at, clock_.now());
    EXPECT_EQ(kept.method, method);
    EXPECT_EQ(kept.order, p.order);
    EXPECT_EQ(kept.channel_no, "2026_1");
    EXPECT_EQ(kept.raw, "as it came");
}

struct told {
    const char* from;
    trade says;
    const char* word;
    const char* to;
};
constexpr std::array<told, 14> messages_told{{
    {"unpaid", trade::paid, "entered", "paid"},
    {"begun", trade::paid, "entered", "paid"},
    {"closing", trade::paid, "entered", "paid"},
    {"paid", trade::paid, "repeated", "paid"},
    {"refunding", trade::paid, "repeated", "refunding"},
    {"refunded", trade::paid, "repeated", "refunded"},
    {"closed", trade::paid, "late", "closed cancelled"},
    {"late", trade::paid, "late", "closed cancelled"},
    {"closing", trade::closed, "entered", "closed cancelled"},
    {"begun", trade::closed, "entered", "unpaid"},
    {"refunded", trade::closed, "repeated", "refunded"},
    {"paid", trade::closed, "repeated", "paid"},
    {"begun", trade::open, "no_news", "unpaid"},
    {"begun", trade::unsure, "no_news", "unpaid"},
}};

TEST_F(MessageDeskTest, EveryGenuineMessageIsTakenWhateverTheOrderIsByNow) {
    for (const told& t : messages_told) {
        SCOPED_TRACE(std::string(t.from) + " " + to_text(t.says));
        const auto p = order_in(t.from);
        const message_verdict v = take(about(p, t.says));
        EXPECT_EQ(v.word, t.word);
        EXPECT_TRUE(v.taken);
        EXPECT_FALSE(v.refused);
        EXPECT_EQ(shown(p), t.to);
        take(about(p, t.says));
        EXPECT_EQ(shown(p), t.to) << "twice";
    }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_F(MessageDeskTest, AMessageAboutARefundOfOursOnlyMakesTheInquiryDue) {
    for (const char* from : {"refunding", "late"})
        for (const trade says : {trade::unsure, trade::closed, trade::paid}) {
            SCOPED_TRACE(std::string(from) + " " + to_text(says));
            const auto p = order_in(from);
            const std::string before = shown(p);
            postpone();
            const pay::message m = about_refund(p, says);
            const message_verdict v = take(m);
            EXPECT_EQ(v.word, "asked");
            EXPECT_TRUE(v.taken);
            EXPECT_FALSE(v.refused || v.odd);
            EXPECT_EQ(shown(p), before) << "the channel's answer decides";
            EXPECT_TRUE(is_due());
            EXPECT_EQ(note(), "not yet");
            orders_.finish_refund(p);
            EXPECT_EQ(take(m).word, "repeated");
        }
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_F(MessageDeskTest, ARefundThatIsStuckIsNotedOnItsInquiry) {
    for (const auto& [said, text] : {std::pair(pay::refund_answer::abnormal, "ABNORMAL: "),
                                     std::pair(pay::refund_answer::closed, "CLOSED: ")}) {
        const auto p = order_in("refunding");
        pay::message m = about_refund(p);
        m.refund->says = said;
        EXPECT_EQ(take(m).word, "asked");
        EXPECT_THAT(note(), HasSubstr(text));
        orders_.finish_refund(p);
    }
}

TEST_F(MessageDeskTest, ARefundOfOursMustHaveItsAmount) {
    const auto p = order_in("refunding");
    postpone();
    pay::message m = about_refund(p);
    const std::int64_t amount = m.refund->amount.value;
    for (const std::int64_t off : {-1, 1}) {
        m.refund->amount.value = amount + off;
        expect_refused(m, "other_amount");
    }
    m.refund->is_sum = true;
    m.refund->amount.value = amount - 1;
    expect_refused(m, "other_amount");
    EXPECT_FALSE(is_due());
    m.refund->amount.value = amount + 1;
    EXPECT_EQ(take(m).word, "asked") << "it was not the first refund of the trade";
}

TEST_F(MessageDeskTest, ARefundThatIsNotOursIsTakenAndLeftToAPerson) {
    const auto p = order_in("refunding"), stranger = order_in("refunding");
    for (const auto& q : moves_.all_questions({}, 9).value())
        moves_.ask_again(q, clock_.now() + std::chrono::hours(1), "not yet").value();
    const auto expect_unknown = [&](const pay::message& m) {
        const std::string picture = orders_.picture();
        const message_verdict v = take(m);
        EXPECT_EQ(v.word, "unknown_refund");
        EXPECT_TRUE(v.taken) << "or it would come again";
        EXPECT_FALSE(v.refused);
        EXPECT_TRUE(v.odd);
        EXPECT_EQ(newest().verdict, "unknown_refund");
        EXPECT_EQ(newest().order, p.order);
        EXPECT_EQ(orders_.picture(), picture);
    };
    pay::message m = about_refund(p);
    m.refund->number = "by hand";
    for (const trade says : {trade::unsure, trade::closed, trade::paid}) {
        m.says = says;
        expect_unknown(m);
    }
    m.refund->number = about_refund(stranger).refund->number;
    expect_unknown(m);
    m.refund->number = "";
    expect_unknown(m);
    EXPECT_FALSE(is_due());
}

// Its payment was never told of: what the message says about the trade still counts.
TEST_F(MessageDeskTest, ARefundThatIsNotOursStillTellsOfItsTrade) {
    for (const auto& [says, to] :
         {std::pair(trade::paid, "paid"), std::pair(trade::closed, "closed cancelled")}) {
        const auto p = order_in("closing");
        pay::message m = about(p, says);
        m.refund = {.number = "by hand", .amount = {1}, .is_sum = true};
        EXPECT_EQ(take(m).word, "unknown_refund");
        EXPECT_EQ(shown(p), to);
    }
}

TEST_F(MessageDeskTest, WhatTheLedgerCouldNotTakeOfARefundIsToComeAgain) {
    const auto p = order_in("refunding");
    const pay::message m = about_refund(p);
    how_->after = [this](std::string_view sql) {
        if (sql.starts_with("SELECT r.refund_no")) break_ledger();
    };
    const message_verdict v = take(m);
    EXPECT_EQ(v.word, "not_entered");
    EXPECT_FALSE(v.taken || v.refused || v.odd);
    how_->after = nullptr;
    mend_ledger();
    EXPECT_EQ(take(m).word, "asked");
}

TEST_F(MessageDeskTest, ChecksRunInTheirOrderAndTheFirstThatFailsIsTheVerdict) {
    const auto p = order_in("begun");
    pay::message m = about(p);
    m.says = trade::open;
    for (const char* fault : {"unknown_status", "not_a_notify", "other_currency", "other_seller"}) {
        m.fault = fault;
        expect_refused(m, fault);
    }
    m.amount.value += 1;
    expect_refused(m, "other_amount");
    m.order.value += 1000;
    expect_refused(m, "unknown_order");
    m.order = {};
    expect_refused(m, "other_seller");  // the channel stopped there
    m.fault = "";
    expect_refused(m, "unknown_order");
    for (const char* own : {"bad_signature", "other_app", "stale", "unknown_serial"}) {
        m.fault = own;
        expect_refused(m, own);
        pay::message otherwise_fine = about(p);
        otherwise_fine.fault = own;
        expect_refused(otherwise_fine, own);
    }
    EXPECT_EQ(shown(p), "unpaid");
    EXPECT_THAT(news_, IsEmpty());
}

TEST_F(MessageDeskTest, AnAmountIsComparedToTheFen) {
    const auto p = order_in("begun");
    for (const std::int64_t off : {-1, 1}) {
        pay::message m = about(p);
        m.amount.value += off;
        expect_refused(m, "other_amount");
    }
}

TEST_F(MessageDeskTest, AChannelThatThrowsRefusesTheMessage) {
    const auto p = order_in("begun");
    channel_->throws = true;
    expect_refused(about(p), "unreadable");
}

TEST_F(MessageDeskTest, WhatTheLedgerCouldNotTakeIsToComeAgain) {
    const auto p = order_in("begun");
    const pay::message m = about(p);
    break_ledger();
    const message_verdict v = take(m);
    EXPECT_EQ(v.word, "not_entered");
    EXPECT_FALSE(v.taken);
    EXPECT_FALSE(v.refused) << "it is nobody's attack";
    EXPECT_EQ(v.answer.body, "fail");
    mend_ledger();
    EXPECT_EQ(take(m).word, "entered");
}

TEST_F(MessageDeskTest, AJournalThatFailsDoesNotUndoTheVerdict) {
    const auto p = order_in("begun");
    verbs_.sql("DROP TABLE payment_messages");
    EXPECT_TRUE(take(about(p)).taken);
    EXPECT_EQ(shown(p), "paid");
}

TEST_F(MessageDeskTest, WhoSendsNoMessagesIsNotListenedTo) {
    EXPECT_FALSE(desk_.take("silent", {}, clock_.now()));
    EXPECT_FALSE(desk_.take("gold", {}, clock_.now()));
    EXPECT_FALSE(desk_.returning("silent", {}, clock_.now()));
    EXPECT_THAT(book_.messages().list(0, 10).value(), IsEmpty());
}

TEST_F(MessageDeskTest, KeepsTheHeadersThatWereSigned) {
    said_ = {.fault = "stale"};
    ASSERT_TRUE(desk_.take(method,
                           {.content_type = "application/json",
                            .body = "{}",
                            .timestamp = "17",
                            .nonce = "n1",
                            .signature = "c2ln",
                            .serial = "AB",
                            .header_prefix = "Wechatpay-"},
                           clock_.now()));
    EXPECT_EQ(newest().raw,
              "Wechatpay-Timestamp: 17\nWechatpay-Nonce: n1\nWechatpay-Serial: AB\n"
              "Wechatpay-Signature: c2ln\n\n{}");
    ASSERT_TRUE(desk_.take(method,
                           {.content_type = "application/json",
                            .body = "{}",
                            .timestamp = "17",
                            .signature = "v1=00",
                            .header_prefix = "Floodgate-"},
                           clock_.now()));
    EXPECT_EQ(newest().raw, "Floodgate-Timestamp: 17\nFloodgate-Signature: v1=00\n\n{}");
}

TEST_F(MessageDeskTest, ABuyerWhoComesBackSettlesNothing) {
    const auto p = order_in("begun");
    said_ = about(p);
    EXPECT_EQ(desk_.returning(method, {}, clock_.now()), p.order);
    said_.fault = "not_a_notify";
    EXPECT_EQ(desk_.returning(method, {}, clock_.now()), p.order);
    for (const char* fault : {"bad_signature", "other_app", "other_seller", "unknown_status"}) {
        said_.fault = fault;
        EXPECT_FALSE(desk_.returning(method, {}, clock_.now())) << fault;
    }
    EXPECT_EQ(shown(p), "unpaid");
    EXPECT_THAT(book_.messages().list(0, 10).value(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::shop
