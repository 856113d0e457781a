#include "shop/letter_desk.hpp"

#include <gmock/gmock.h>

#include "shop/book_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum sale::order_state;

class LetterDeskTest : public BookTest {
protected:
    std::vector<ledger::audit_line> audit() { return book_.audit().list(0, 100).value(); }
    ledger::letter letter() { return book_.letters().find(id_).value(); }

    const sale::promise promise_ = verbs_.promise(sale_, 1);
    const std::int64_t id_ = verbs_.put_aside(promise_);
    letter_desk desk_{{book_, settlement_, clock_}};
    const actor admin_{.who = {7}, .address = "192.0.2.1"};
};

TEST_F(LetterDeskTest, AReplayEntersTheOrderTellsAndIsSigned) {
    EXPECT_STREQ(outcome_of(desk_.replay(id_, admin_).value()), "entered");
    EXPECT_EQ(letter().state, ledger::letter_state::replayed);
    EXPECT_EQ(letter().decided_by, admin_.who);
    ASSERT_EQ(news_.size(), 1U);
    EXPECT_EQ(news_[0].what.state, unpaid);
    EXPECT_THAT(gate_.released, IsEmpty());
    ASSERT_EQ(audit().size(), 1U);
    EXPECT_EQ(audit()[0].action, "letter.replayed");
    EXPECT_EQ(audit()[0].who, admin_.who);
    EXPECT_EQ(audit()[0].address, "192.0.2.1");
    EXPECT_THAT(audit()[0].details, HasSubstr("entered"));
}

TEST_F(LetterDeskTest, ARetryOfFloodgateItselfIsSettledAlikeAndNotSigned) {
    ASSERT_TRUE(desk_.replay(id_, {.book = &book_}).has_value());
    EXPECT_EQ(letter().decided_by.value, 0);
    ASSERT_EQ(news_.size(), 1U);
    EXPECT_EQ(news_[0].what.state, unpaid);
    EXPECT_THAT(audit(), IsEmpty());
}

TEST_F(LetterDeskTest, AnOrderThatTheLedgerRefusesGivesItsUnitsBackThoughTheLedgerIsGoneAgain) {
    verbs_.enter({verbs_.promise(sale_, 1)});  // that is the buyer's limit
    how_->after = [this](std::string_view sql) {
        if (sql == "COMMIT") break_ledger();
    };
    const auto report = desk_.replay(id_, admin_).value();
    how_->after = nullptr;
    mend_ledger();
    EXPECT_STREQ(outcome_of(report), "refused");
    EXPECT_THAT(gate_.released, ElementsAre(promise_.order));
    ASSERT_EQ(news_.size(), 1U);
    EXPECT_EQ(news_[0].what.state, failed);
}

TEST_F(LetterDeskTest, ADiscardedLetterGivesItsUnitsBackAndIsSigned) {
    EXPECT_EQ(desk_.discard(id_, "a test order", admin_)->state, failed);
    EXPECT_EQ(letter().note, "a test order");
    EXPECT_THAT(gate_.released, ElementsAre(promise_.order));
    ASSERT_EQ(news_.size(), 1U);
    EXPECT_EQ(news_[0].what.reason, "discarded");
    ASSERT_EQ(audit().size(), 1U);
    EXPECT_EQ(audit()[0].action, "letter.discarded");
    EXPECT_THAT(audit()[0].details, HasSubstr("a test order"));
}

TEST_F(LetterDeskTest, WhatIsDecidedStaysDecided) {
    ASSERT_TRUE(desk_.discard(id_, "late", admin_).has_value());
    EXPECT_EQ(outcome(desk_.replay(id_, admin_)), errc::conflict);
    EXPECT_EQ(outcome(desk_.discard(id_, "late", admin_)), errc::conflict);
    EXPECT_EQ(outcome(desk_.replay(999, admin_)), errc::not_found);
    EXPECT_EQ(outcome(desk_.discard(999, "late", admin_)), errc::not_found);
    EXPECT_EQ(audit().size(), 1U);
    EXPECT_EQ(news_.size(), 1U);
}

}  // namespace
}  // namespace floodgate::shop
