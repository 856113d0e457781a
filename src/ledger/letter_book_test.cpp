// Promises put aside, tried again, replayed and discarded.

#include "ledger/letter_book.hpp"

#include "base/cut_text.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr sale::user_id operator_id{77};

setback try_again_at(instant at, const std::string& cause = "locked") {
    return {.cause = cause, .next_try = at, .now = noon};
}
const setback for_good{.cause = "poison", .permanent = true, .now = noon};
const instant later = noon + std::chrono::hours(1);

class LetterContractTest : public LedgerContractTest {
protected:
    letter_book& letters_ = book_.letters();

    static std::vector<std::int64_t> ids(const std::vector<letter>& letters) {
        std::vector<std::int64_t> all;
        all.reserve(letters.size());
        for (const letter& l : letters) all.push_back(l.id);
        return all;
    }
    letter found(std::int64_t id) { return letters_.find(id).value(); }
    std::int64_t events() { return verbs_.number("SELECT COUNT(*) FROM order_events"); }
};
INSTANTIATE_TEST_SUITE_P(Over, LetterContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(LetterContractTest, APromisePutAsideComesBackWholeAndTheLineGoesOn) {
    auto p = verbs_.promise(verbs_.add_sale(), 7, 2);
    p.key.fill(std::byte{0x5a});
    const auto id = verbs_.put_aside(p, try_again_at(later, "disk full"));
    const letter l = found(id);
    EXPECT_EQ(l.id, id);
    EXPECT_EQ(l.promise, p);
    EXPECT_EQ(l.state, letter_state::waiting);
    EXPECT_EQ(l.cause, "disk full");
    EXPECT_EQ(l.attempts, 1U);
    EXPECT_EQ(l.first_at, noon);
    EXPECT_EQ(l.last_at, noon);
    EXPECT_EQ(l.next_try, later);
    EXPECT_EQ(l.decided_by, sale::user_id{});
    EXPECT_EQ(l.note, "");
    EXPECT_EQ(book_.orders().position().value(), sale::sequence{1});
    EXPECT_EQ(verbs_.held(p.sale), 0) << "its unit is held at the gate, not in the book";
    EXPECT_EQ(verbs_.state(p), "absent");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LetterContractTest, APermanentFailureIsDeadAtOnce) {
    const auto id = verbs_.put_aside(verbs_.promise(verbs_.add_sale(), 1), for_good);
    EXPECT_EQ(found(id).state, letter_state::dead);
    EXPECT_THAT(letters_.due(later, 9).value(), IsEmpty());
}

TEST_P(LetterContractTest, WhatTheLineHasPassedIsNotPutAside) {
    const auto sale = verbs_.add_sale();
    verbs_.enter({verbs_.promise(sale, 1)});
    letters_.put_aside(verbs_.promise(sale, 2), verbs_.entered(), for_good).value();
    EXPECT_THAT(letters_.list({}, 0, 9).value(), IsEmpty());
    EXPECT_EQ(book_.orders().position().value(), sale::sequence{1});
}

TEST_P(LetterContractTest, ANumberThatIsKnownAlreadyOnlyMovesThePosition) {
    const auto sale = verbs_.add_sale();
    const auto entered = verbs_.promise(sale, 1), aside = verbs_.promise(sale, 2);
    verbs_.enter({entered});
    verbs_.put_aside(entered, for_good);
    const auto id = verbs_.put_aside(aside, try_again_at(later, "first"));
    verbs_.put_aside(aside, for_good);
    EXPECT_THAT(ids(letters_.list({}, 0, 9).value()), ElementsAre(id));
    EXPECT_EQ(found(id).cause, "first");
    EXPECT_EQ(book_.orders().position().value(), sale::sequence{4});
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LetterContractTest, PoisonIsRejectedPutAsideAndBookedOnceAfterTheFix) {
    const auto sale = verbs_.add_sale();
    const auto bad = verbs_.promise(sale, 1), good = verbs_.promise(sale, 2);
    verbs_.poison(bad);
    const auto both = std::vector{bad, good};
    EXPECT_EQ(outcome(book_.orders().enter(both, sale::sequence{2})), errc::rejected);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM orders"), 0);
    EXPECT_EQ(verbs_.held(sale), 0);
    EXPECT_EQ(book_.orders().position().value(), sale::sequence{0});

    const auto id = verbs_.put_aside(bad, for_good);
    verbs_.enter({good});
    EXPECT_EQ(outcome(letters_.replay(id, operator_id, later)), errc::rejected);
    EXPECT_EQ(found(id).state, letter_state::dead) << "nothing is changed";
    EXPECT_EQ(found(id).decided_by, sale::user_id{});

    verbs_.heal();
    const auto report = letters_.replay(id, operator_id, later).value();
    EXPECT_EQ(report.entered, 1U);
    EXPECT_EQ(report.refused, 0U);
    EXPECT_EQ(verbs_.state(bad), "unpaid");
    EXPECT_EQ(verbs_.held(sale), 2);
    EXPECT_EQ(found(id).state, letter_state::replayed);
    EXPECT_EQ(found(id).decided_by, operator_id);
    EXPECT_EQ(found(id).last_at, later);
    EXPECT_EQ(outcome(letters_.replay(id, operator_id, later)), errc::conflict);
    EXPECT_EQ(verbs_.held(sale), 2);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LetterContractTest, AKeyTakenWhereNobodyExpectsItIsPoisonToo) {
    const auto p = verbs_.promise(verbs_.add_sale(), 1);
    verbs_.sql("CREATE UNIQUE INDEX odd ON stock_log (sale_id)");
    EXPECT_EQ(outcome(book_.orders().enter(std::span(&p, 1), sale::sequence{1})), errc::rejected);
    const auto id = verbs_.put_aside(p);
    EXPECT_EQ(outcome(letters_.replay(id, {}, later)), errc::rejected);
    EXPECT_EQ(verbs_.state(p), "absent");
}

TEST_P(LetterContractTest, AReplayThatTheBookRefusesIsAFailedOrder) {
    const auto sale = verbs_.add_sale({.stock = 1});
    const auto aside = verbs_.promise(sale, 1), other = verbs_.promise(sale, 2);
    const auto id = verbs_.put_aside(aside);
    verbs_.enter({other});
    const auto report = letters_.replay(id, {}, later).value();
    EXPECT_EQ(report.entered, 0U);
    ASSERT_EQ(report.refused, 1U);
    ASSERT_EQ(report.orders.size(), 1U);
    EXPECT_EQ(report.orders[0].no, aside.order);
    EXPECT_EQ(report.orders[0].reason, "no_stock");
    EXPECT_EQ(verbs_.state(aside), "failed no_stock");
    EXPECT_EQ(found(id).state, letter_state::replayed);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LetterContractTest, AReplayOfWhatIsInTheBookAlreadyChangesOnlyTheLetter) {
    const auto sale = verbs_.add_sale();
    const auto p = verbs_.promise(sale, 1);
    const auto id = verbs_.put_aside(p);
    verbs_.enter({p});
    EXPECT_EQ(outcome(letters_.discard(id, operator_id, "", later)), errc::conflict);
    EXPECT_EQ(found(id).state, letter_state::waiting);
    EXPECT_EQ(letters_.replay(id, {}, later).value().known, 1U);
    EXPECT_EQ(found(id).state, letter_state::replayed);
    EXPECT_EQ(verbs_.held(sale), 1);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LetterContractTest, ADiscardedLetterIsAFailedOrderWithItsReasonAndEvent) {
    const auto sale = verbs_.add_sale({.stock = 5, .limit = 2});
    const auto p = verbs_.promise(sale, 7, 2);
    const auto id = verbs_.put_aside(p, for_good);
    const auto o = letters_.discard(id, operator_id, "the buyer wrote to us", later).value();
    const auto booked = book_.orders().find(p.order).value();
    for (const sale::order& one : {o, booked}) {
        EXPECT_EQ(one.no, p.order);
        EXPECT_EQ(one.sale, sale);
        EXPECT_EQ(one.buyer, p.buyer);
        EXPECT_EQ(one.quantity, 2U);
        EXPECT_EQ(one.amount, sale::fen{19800});
        EXPECT_EQ(one.amount_points, sale::points{100});
        EXPECT_EQ(one.state, sale::order_state::failed);
        EXPECT_EQ(one.reason, "discarded");
        EXPECT_EQ(one.created_at, p.at);
        EXPECT_EQ(one.pay_by, p.at);
    }
    EXPECT_EQ(verbs_.held(sale), 0);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM order_events WHERE order_no = 1001 AND buyer_id "
                            "= 7 AND sale_id = 1 AND from_state = 'queued' AND to_state = 'failed' "
                            "AND reason = 'discarded' AND at_ms = " +
                            std::to_string(to_ms(later))),
              1);
    EXPECT_EQ(found(id).state, letter_state::discarded);
    EXPECT_EQ(found(id).decided_by, operator_id);
    EXPECT_EQ(found(id).note, "the buyer wrote to us");
    EXPECT_THAT(verbs_.check(), IsEmpty());
    verbs_.enter({verbs_.promise(sale, 7, 2)});
    EXPECT_EQ(verbs_.held(sale), 2) << "they may buy again";
}

TEST_P(LetterContractTest, WhatIsDecidedStaysDecided) {
    const auto sale = verbs_.add_sale();
    const auto given_up = verbs_.put_aside(verbs_.promise(sale, 1)),
               entered = verbs_.put_aside(verbs_.promise(sale, 2));
    letters_.discard(given_up, operator_id, "first", later).value();
    letters_.replay(entered, {}, later).value();
    for (const auto id : {given_up, entered}) {
        EXPECT_EQ(outcome(letters_.replay(id, {}, later)), errc::conflict);
        EXPECT_EQ(outcome(letters_.discard(id, {}, "again", later)), errc::conflict);
        EXPECT_EQ(outcome(letters_.set_back(id, for_good)), errc::conflict);
    }
    EXPECT_EQ(found(given_up).note, "first");
    EXPECT_EQ(events(), 1);
    EXPECT_EQ(verbs_.held(sale), 1);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(LetterContractTest, ALetterNobodyWroteIsNotFound) {
    EXPECT_EQ(outcome(letters_.find(9)), errc::not_found);
    EXPECT_EQ(outcome(letters_.replay(9, {}, noon)), errc::not_found);
    EXPECT_EQ(outcome(letters_.discard(9, {}, "", noon)), errc::not_found);
    EXPECT_EQ(outcome(letters_.set_back(9, for_good)), errc::not_found);
}

TEST_P(LetterContractTest, AnotherFailureIsCountedAndTheLastOneIsForGood) {
    const auto id = verbs_.put_aside(verbs_.promise(verbs_.add_sale(), 1));
    setback again = try_again_at(later, "still locked");
    again.now = noon + milliseconds(5);
    letters_.set_back(id, again).value();
    EXPECT_EQ(found(id).state, letter_state::waiting);
    EXPECT_EQ(found(id).attempts, 2U);
    EXPECT_EQ(found(id).cause, "still locked");
    EXPECT_EQ(found(id).next_try, later);
    EXPECT_EQ(found(id).first_at, noon);
    EXPECT_EQ(found(id).last_at, again.now);
    letters_.set_back(id, for_good).value();
    EXPECT_EQ(found(id).state, letter_state::dead);
    EXPECT_EQ(found(id).attempts, 3U);
}

TEST_P(LetterContractTest, DueAreTheWaitingWhoseTimeHasComeEarliestFirst) {
    const auto sale = verbs_.add_sale();
    const auto aside = [&](int buyer, int s) {
        return verbs_.put_aside(verbs_.promise(sale, buyer),
                                try_again_at(noon + std::chrono::seconds(s)));
    };
    const auto third = aside(1, 30), first = aside(2, 10), second = aside(3, 20);
    aside(4, 40);
    verbs_.put_aside(verbs_.promise(sale, 5), for_good);
    const auto now = noon + std::chrono::seconds(30);
    EXPECT_THAT(ids(letters_.due(now, 9).value()), ElementsAre(first, second, third));
    EXPECT_THAT(ids(letters_.due(now, 2).value()), ElementsAre(first, second));
    EXPECT_THAT(letters_.due(noon, 9).value(), IsEmpty());
}

TEST_P(LetterContractTest, TheyAreListedNewestFirstInPagesAndByState) {
    const auto sale = verbs_.add_sale();
    const auto a = verbs_.put_aside(verbs_.promise(sale, 1)),
               b = verbs_.put_aside(verbs_.promise(sale, 2), for_good),
               c = verbs_.put_aside(verbs_.promise(sale, 3));
    EXPECT_THAT(ids(letters_.list({}, 0, 9).value()), ElementsAre(c, b, a));
    EXPECT_THAT(ids(letters_.list({}, 0, 2).value()), ElementsAre(c, b));
    EXPECT_THAT(ids(letters_.list({}, b, 9).value()), ElementsAre(a));
    EXPECT_THAT(ids(letters_.list(letter_state::dead, 0, 9).value()), ElementsAre(b));
    EXPECT_THAT(ids(letters_.list(letter_state::waiting, c, 9).value()), ElementsAre(a));
    EXPECT_THAT(letters_.list(letter_state::replayed, 0, 9).value(), IsEmpty());
}

TEST_P(LetterContractTest, OpenOnesAreCountedAndVisitedInOrderOfNumber) {
    const auto sale = verbs_.add_sale();
    const auto low = verbs_.promise(sale, 1), high = verbs_.promise(sale, 2),
               gone = verbs_.promise(sale, 3);
    const auto second = verbs_.put_aside(high), first = verbs_.put_aside(low, for_good);
    letters_.replay(verbs_.put_aside(gone), {}, later).value();
    std::vector<std::int64_t> seen;
    letters_.for_each_open([&](const letter& l) { seen.push_back(l.id); }).value();
    EXPECT_THAT(seen, ElementsAre(first, second));
    EXPECT_EQ(letters_.count().value().waiting, 1);
    EXPECT_EQ(letters_.count().value().dead, 1);
}

TEST_P(LetterContractTest, TheirNumbersAreNotGivenAgain) {
    const auto p = verbs_.promise(verbs_.add_sale(), 1);
    verbs_.put_aside(p);
    EXPECT_EQ(book_.orders().latest_number().value(), p.order);
}

TEST_P(LetterContractTest, LongWordsAreCutBetweenCharacters) {
    const std::string words = "x" + [] {
        std::string all;
        for (int i = 0; i < 300; ++i) all += "手";  // three bytes each
        return all;
    }();
    const auto id = verbs_.put_aside(verbs_.promise(verbs_.add_sale(), 1),
                                     {.cause = words, .permanent = true, .now = noon});
    EXPECT_EQ(found(id).cause, words.substr(0, 1 + 166 * 3));
    letters_.set_back(id, {.cause = "y" + words, .permanent = true, .now = noon}).value();
    EXPECT_EQ(found(id).cause, "y" + words.substr(0, 1 + 166 * 3));
    letters_.discard(id, {}, "zz" + words, noon).value();
    EXPECT_EQ(found(id).note, "zz" + words.substr(0, 1 + 165 * 3));
}

TEST_P(LetterContractTest, AnUnreadablePayloadKeepsItsUnitsAndHoldsNobodyUp) {
    const auto sale = verbs_.add_sale({.limit = 3});
    const auto bad = verbs_.promise(sale, 1, 2), good = verbs_.promise(sale, 2);
    const auto id = verbs_.put_aside(bad), other = verbs_.put_aside(good);
    verbs_.sql("UPDATE letters SET payload = x'00' WHERE id = " + std::to_string(id));
    EXPECT_THAT(ids(letters_.due(later, 1).value()), ElementsAre(other));
    EXPECT_EQ(found(id).promise.order, bad.order);
    EXPECT_EQ(found(id).promise.sale, sale);
    EXPECT_EQ(found(id).promise.quantity, 2U);
    EXPECT_EQ(found(id).promise.buyer, sale::user_id{});
    EXPECT_EQ(outcome(letters_.replay(id, {}, later)), errc::corrupt);
    EXPECT_EQ(outcome(letters_.discard(id, {}, "", later)), errc::corrupt);
    EXPECT_EQ(book_.tallies().take().value().sales[0].letters, 3);
    EXPECT_THAT(verbs_.check(), ElementsAre("letter 1: its payload cannot be read"));
    verbs_.sql("UPDATE letters SET state = 'lost' WHERE id = " + std::to_string(id));
    EXPECT_EQ(outcome(letters_.find(id)), errc::corrupt);
}

TEST(LetterStateTest, EveryStateHasItsWord) {
    for (const auto s : {letter_state::waiting, letter_state::dead, letter_state::replayed,
                         letter_state::discarded})
        EXPECT_EQ(parse_letter_state(to_text(s)), s);
    EXPECT_EQ(parse_letter_state("lost"), std::nullopt);
    EXPECT_EQ(parse_letter_state(""), std::nullopt);
}

TEST(CutTest, ShortTextStaysAndNothingIsHalved) {
    EXPECT_EQ(cut_text("abc", 3), "abc");
    EXPECT_EQ(cut_text("abcd", 3), "abc");
    EXPECT_EQ(cut_text("ab手", 4), "ab");
    EXPECT_EQ(cut_text("ab手", 5), "ab手");
    EXPECT_EQ(cut_text("手", 2), "");
}

}  // namespace
}  // namespace floodgate::ledger
