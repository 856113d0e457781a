#include "jobs/letter_retry.hpp"

#include <gtest/gtest.h>

#include "clerk/desk.hpp"
#include "clerk/ledger_sink.hpp"
#include "jobs/book_fixture.hpp"

namespace floodgate::jobs {
namespace {

using namespace std::chrono_literals;
using ledger::letter_state;
using words = std::vector<std::string>;

struct LetterRetryTest : BookTest {
    ledger::letter_book& letters_ = book_.letters();
    shop::letter_desk desk_{{book_, after_, clock_}};
    letter_retry retry_{{book_, desk_, alarms_, clock_}, sale::retry_schedule{{10s, 30s}}};

    // A waiting letter, as the clerk's desk makes it.
    sale::promise put_aside(std::int64_t buyer) {
        sale::promise p = verbs_.promise(sale_, buyer);
        p.at = clock_.now();
        const sale::sequence last{book_.orders().position().value().value + 1};
        const ledger::setback why{"store unavailable", false, clock_.now() + 10s, clock_.now()};
        EXPECT_TRUE(letters_.put_aside(p, last, why));
        return p;
    }
    // From now on the ledger works, but orders cannot be entered.
    void jam() {
        how_->after = [](std::string_view sql) {
            if (sql.find("INTO orders (") != std::string_view::npos)
                throw store::sql_error(store::sql_failure::busy, "as told");
        };
    }
    void unjam() { how_->after = nullptr; }
    void poison(std::int64_t buyer) {
        verbs_.sql("CREATE TRIGGER poison BEFORE INSERT ON orders WHEN NEW.buyer_id = " +
                   std::to_string(buyer) + " BEGIN SELECT RAISE(ABORT, 'poison'); END");
    }
    void heal() { verbs_.sql("DROP TRIGGER poison"); }
    ledger::letter letter(std::int64_t id = 1) { return letters_.find(id).value(); }
};

TEST_F(LetterRetryTest, EntersAPromiseWhenItsTimeHasComeAndTells) {
    const auto p = put_aside(1);
    clock_.advance(10s - 1ms);
    retry_.step();
    EXPECT_EQ(verbs_.state(p), "absent");
    clock_.advance(1ms);
    retry_.step();
    EXPECT_EQ(verbs_.state(p), "unpaid");
    EXPECT_EQ(letter().state, letter_state::replayed);
    EXPECT_EQ(letter().decided_by.value, 0);
    EXPECT_EQ(told(p.order), words{"unpaid"});
    EXPECT_EQ(news_.at(0).event, 0);
    EXPECT_EQ(news_.at(0).what.pay_by, now(p.order).pay_by);
    expect_returned({});
    retry_.step();
    EXPECT_EQ(retry_.read_figures().retried, 1U);
    EXPECT_EQ(retry_.read_figures().revived, 1U);
    expect_books_agree();
}

TEST_F(LetterRetryTest, GivesTheUnitBackWhenTheBookRefusesThePromise) {
    buy(1);
    const auto p = put_aside(1);  // one each
    clock_.advance(10s);
    retry_.step();
    EXPECT_EQ(verbs_.state(p), "failed limit_reached");
    expect_returned({p.order});
    EXPECT_EQ(told(p.order), words{"failed"});
    EXPECT_EQ(letter().state, letter_state::replayed);
    expect_books_agree();
}

TEST_F(LetterRetryTest, GoesUpTheLadderAndDiesAtItsEnd) {
    const auto p = put_aside(1);
    jam();
    clock_.advance(10s);
    retry_.step();
    EXPECT_EQ(letter().state, letter_state::waiting);
    EXPECT_EQ(letter().attempts, 2U);
    EXPECT_EQ(letter().next_try, clock_.now() + 30s);
    retry_.step();
    EXPECT_EQ(letter().attempts, 2U) << "not before its time";
    clock_.advance(30s);
    retry_.step();
    EXPECT_EQ(letter().state, letter_state::dead);
    EXPECT_EQ(letter().attempts, 3U);
    EXPECT_EQ(letter().cause, "store unavailable");
    clock_.advance(24h);
    retry_.step();
    EXPECT_EQ(retry_.read_figures().retried, 2U) << "the dead are left in peace";
    EXPECT_EQ(retry_.read_figures().died, 1U);
    expect_returned({});
    EXPECT_TRUE(news_.empty()) << "its buyer still sees it queued";

    unjam();
    EXPECT_EQ(letters_.replay(1, {9}, clock_.now()).value().entered, 1U) << "an operator may";
    EXPECT_EQ(verbs_.state(p), "unpaid");
    expect_books_agree();
}

TEST_F(LetterRetryTest, WhatIsRejectedDiesAtOnce) {
    put_aside(1);
    poison(1);
    clock_.advance(10s);
    retry_.step();
    EXPECT_EQ(letter().state, letter_state::dead);
    EXPECT_EQ(letter().cause, "rejected by the store");
}

TEST_F(LetterRetryTest, ALedgerThatIsAwayCostsNobodyAStep) {
    const auto p = put_aside(1);
    clock_.advance(10s);
    break_ledger();
    retry_.step();
    mend_ledger();
    break_ledger_after("UPDATE letters");  // in the middle of the replay
    retry_.step();
    mend_ledger();
    EXPECT_EQ(letter().attempts, 1U);
    EXPECT_EQ(letter().state, letter_state::waiting);
    retry_.step();
    EXPECT_EQ(verbs_.state(p), "unpaid");
}

TEST_F(LetterRetryTest, OneThatFailsDoesNotHoldUpTheOthers) {
    poison(2);
    const auto first = put_aside(1), bad = put_aside(2), last = put_aside(3);
    clock_.advance(10s);
    EXPECT_FALSE(retry_.step());
    EXPECT_EQ(verbs_.state(first), "unpaid");
    EXPECT_EQ(verbs_.state(bad), "absent");
    EXPECT_EQ(verbs_.state(last), "unpaid");
    expect_books_agree();
}

TEST_F(LetterRetryTest, TriesAFewAtATimeAndSaysWhetherThereAreMore) {
    for (std::int64_t buyer = 1; buyer <= 5; ++buyer) put_aside(buyer);
    clock_.advance(10s);
    letter_retry few({book_, desk_, alarms_, clock_}, {}, 2);
    EXPECT_TRUE(few.step());
    EXPECT_TRUE(few.step());
    EXPECT_FALSE(few.step());
    EXPECT_EQ(few.read_figures().revived, 5U);
}

TEST_F(LetterRetryTest, LeavesWhatAnOperatorDecided) {
    const auto p = put_aside(1);
    ASSERT_TRUE(letters_.discard(1, {9}, "asked to", clock_.now()));
    clock_.advance(10s);
    retry_.step();
    EXPECT_EQ(verbs_.state(p), "failed discarded");
    EXPECT_EQ(retry_.read_figures().retried, 0U);
}

TEST_F(LetterRetryTest, DeadLettersAreAnAlertUntilThereAreNone) {
    put_aside(1);
    retry_.watch();
    EXPECT_TRUE(alarms_.standing().empty()) << "it still has its chances";
    poison(1);
    clock_.advance(10s);
    retry_.step();
    break_ledger();
    retry_.watch();
    mend_ledger();
    EXPECT_TRUE(alarms_.standing().empty()) << "nobody knows";
    retry_.watch();
    ASSERT_EQ(alarms_.standing().size(), 1U);
    EXPECT_EQ(alarms_.standing()[0].kind, alarm::kind::dead_letters);
    EXPECT_EQ(alarms_.standing()[0].subject, "letters");
    EXPECT_EQ(alarms_.standing()[0].detail, "1 promises could not be entered");
    heal();
    ASSERT_TRUE(letters_.replay(1, {9}, clock_.now()));
    retry_.watch();
    EXPECT_TRUE(alarms_.standing().empty());
}

// The whole path over a real database: the line, the desk, the letters and the operator.
struct PoisonedLineTest : LetterRetryTest {
    clerk::memory_source line_;
    clerk::ledger_sink sink_{book_, sale::journal_line, clock_};
    shop::silent_node node_;
    clerk::desk work_{{line_, sink_, gate_, clock_, node_}, {.retries = {{10s, 30s}}}, {0}};

    void fill_line(std::int64_t count) {
        for (std::int64_t buyer = 1; buyer <= count; ++buyer)
            line_.line.push_back(verbs_.promise(sale_, buyer));
        line_.last = line_.line.size();
    }
    void work_off() {
        for (int i = 0; i < 100 && work_.step() != clerk::outcome::nothing;) ++i;
        EXPECT_EQ(work_.backlog(), 0U);
    }
    std::int64_t unpaid() { return verbs_.number("SELECT COUNT(*) FROM orders"); }
};

TEST_F(PoisonedLineTest, OneInAThousandEndsInTheLettersAndIsBookedAfterTheFix) {
    fill_line(1000);
    poison(357);
    work_off();
    EXPECT_EQ(unpaid(), 999);
    EXPECT_EQ(held(), 999);
    EXPECT_EQ(letters_.count().value().dead, 1);
    EXPECT_EQ(letter().promise, line_.line[356]) << "with its whole payload";
    EXPECT_EQ(book_.orders().position().value().value, 1000U);
    expect_returned({});
    expect_books_agree();

    heal();
    EXPECT_EQ(letters_.replay(1, {9}, clock_.now()).value().entered, 1U);
    EXPECT_EQ(verbs_.state(line_.line[356]), "unpaid");
    EXPECT_EQ(held(), 1000);
    expect_books_agree();
}

TEST_F(PoisonedLineTest, AfterARestartNothingOfItIsEnteredTwice) {
    fill_line(10);
    poison(4);
    work_off();
    clerk::desk again({line_, sink_, gate_, clock_, node_}, {}, {0});  // knows no position
    for (int i = 0; i < 100 && again.step() != clerk::outcome::nothing;) ++i;
    EXPECT_EQ(unpaid(), 9);
    EXPECT_EQ(letters_.count().value().dead, 1);
    expect_returned({});
    expect_books_agree();
}

}  // namespace
}  // namespace floodgate::jobs
