#include "gate/shelf.hpp"

#include <gtest/gtest.h>

namespace floodgate::gate {
namespace {

using sale::answer;

const instant opening = from_ms(1'800'000'000'000);
const instant closing = opening + milliseconds(3600'000);

sale::sale terms(std::int64_t stock, std::uint32_t limit = 1) {
    return {.id = {7},
            .price = {100},
            .stock = stock,
            .limit = limit,
            .state = sale::sale_state::published,
            .starts_at = opening,
            .ends_at = closing};
}

// A shelf with verbs: ask() judges and, when accepted, puts down under the next order number.
class ShelfTest : public testing::Test {
protected:
    explicit ShelfTest() { reset(terms(2)); }
    void reset(const sale::sale& t) { shelf_ = std::make_unique<shelf>(t); }

    sale::verdict ask(std::int64_t buyer, std::uint32_t quantity = 1, int key = 0) {
        sale::attempt a{.sale = {7}, .buyer = {buyer}, .quantity = quantity};
        if (key) a.key[0] = static_cast<std::byte>(key);
        sale::verdict v = shelf_->judge(a, now_);
        if (v.what != answer::accepted) return v;
        v.order = {++last_};
        sale::promise p{
            .order = v.order, .sale = {7}, .buyer = {buyer}, .quantity = quantity, .key = a.key};
        shelf_->put_down(p, {last_});
        return v;
    }
    std::vector<std::uint64_t> orders_of(std::int64_t buyer) {
        std::vector<turnstile::promised> found;
        shelf_->orders_of({buyer}, found);
        std::vector<std::uint64_t> out;
        for (const auto& p : found) out.push_back(p.order.value);
        return out;
    }
    std::int64_t taken() { return shelf_->look().taken; }

    std::unique_ptr<shelf> shelf_;
    instant now_ = opening;
    std::uint64_t last_ = 0;
};

TEST_F(ShelfTest, SellsTheLastUnitAndNoMore) {
    EXPECT_EQ(ask(1).what, answer::accepted);
    EXPECT_EQ(ask(2).what, answer::accepted);
    EXPECT_EQ(ask(3).what, answer::sold_out);
    EXPECT_EQ(taken(), 2);
}

TEST_F(ShelfTest, TellsABuyerWhoHasOneItsOrderNumber) {
    const auto first = ask(1);
    const auto again = ask(1);
    EXPECT_EQ(again.what, answer::already_ordered);
    EXPECT_EQ(again.order, first.order);
}

TEST_F(ShelfTest, OpensAtItsMomentAndClosesAtItsMoment) {
    now_ = opening - milliseconds(1);
    EXPECT_EQ(ask(1).what, answer::not_started);
    EXPECT_EQ(ask(1).starts_at, opening);
    now_ = opening;
    EXPECT_EQ(ask(1).what, answer::accepted);
    now_ = closing - milliseconds(1);
    EXPECT_EQ(ask(2).what, answer::accepted);
    now_ = closing;
    EXPECT_EQ(ask(3).what, answer::ended);
}

// Each row makes one more reason apply; the one of highest precedence must be the answer.
TEST_F(ShelfTest, AnswersInTheDocumentedOrderOfPrecedence) {
    reset(terms(1));
    EXPECT_EQ(ask(1, 1, 5).what, answer::accepted);
    EXPECT_EQ(ask(2).what, answer::sold_out);
    EXPECT_EQ(ask(1).what, answer::already_ordered) << "before sold_out";
    now_ = closing;
    EXPECT_EQ(ask(1).what, answer::ended) << "before already_ordered";
    now_ = opening - milliseconds(1);
    EXPECT_EQ(ask(1).what, answer::not_started) << "before already_ordered";
    sale::sale t = terms(1);
    t.state = sale::sale_state::paused;
    ASSERT_TRUE(shelf_->change_terms(t));
    EXPECT_EQ(ask(1).what, answer::paused) << "before not_started";
    t.state = sale::sale_state::draft;
    ASSERT_TRUE(shelf_->change_terms(t));
    EXPECT_EQ(ask(1).what, answer::unknown_sale) << "before paused";
    EXPECT_EQ(ask(1, 1, 5).what, answer::repeated) << "idempotence is judged first";
    EXPECT_EQ(ask(1, 2, 5).what, answer::key_reused);
}

TEST_F(ShelfTest, AnEndedSaleStaysEndedInsideItsWindow) {
    sale::sale t = terms(5);
    t.state = sale::sale_state::ended;
    ASSERT_TRUE(shelf_->change_terms(t));
    EXPECT_EQ(ask(1).what, answer::ended);
}

TEST_F(ShelfTest, CountsUnitsNotOrdersAgainstTheLimit) {
    reset(terms(10, 3));
    EXPECT_EQ(ask(1, 2).what, answer::accepted);
    EXPECT_EQ(ask(1, 2).what, answer::already_ordered);
    EXPECT_EQ(ask(1, 1).what, answer::accepted);
    EXPECT_EQ(ask(1, 1).what, answer::already_ordered);
    EXPECT_EQ(ask(2, 4).what, answer::over_limit) << "who has none has not ordered already";
    EXPECT_EQ(ask(2, 4).units, 3);
    EXPECT_EQ(taken(), 3);
}

TEST_F(ShelfTest, DoesNotSplitAnOrderThatIsLargerThanWhatIsLeft) {
    reset(terms(3, 2));
    EXPECT_EQ(ask(1, 2).what, answer::accepted);
    EXPECT_EQ(ask(2, 2).what, answer::not_enough) << "it is not sold out";
    EXPECT_EQ(ask(2, 2).units, 1);
    EXPECT_EQ(ask(2, 1).what, answer::accepted);
    EXPECT_EQ(ask(3, 2).what, answer::sold_out);
}

TEST_F(ShelfTest, RepeatsTheAnswerForTheSameKey) {
    const auto first = ask(1, 1, 9);
    const auto again = ask(1, 1, 9);
    EXPECT_EQ(again.what, answer::repeated);
    EXPECT_EQ(again.order, first.order);
    EXPECT_EQ(taken(), 1);
}

TEST_F(ShelfTest, ReleasedUnitsAreSoldAgainAlsoToTheSameBuyer) {
    const auto first = ask(1);
    ask(2);
    EXPECT_TRUE(shelf_->release({1}, first.order));
    EXPECT_EQ(taken(), 1);
    EXPECT_EQ(ask(1).what, answer::accepted);
    EXPECT_EQ(ask(3).what, answer::sold_out);
}

TEST_F(ShelfTest, MakesABuyerWhoGaveAUnitBackWaitWhileOthersBuyIt) {
    const auto first = ask(1);
    ask(2);
    EXPECT_TRUE(shelf_->release({1}, first.order));
    shelf_->cool({{1}, opening + milliseconds(30'000)});
    EXPECT_EQ(ask(1).what, answer::cooling_down);
    EXPECT_EQ(ask(1).cool_until, opening + milliseconds(30'000));
    EXPECT_EQ(ask(3).what, answer::accepted);
    EXPECT_EQ(ask(1).what, answer::cooling_down) << "before sold_out";
    now_ = opening + milliseconds(29'999);
    EXPECT_EQ(ask(1).what, answer::cooling_down);
    now_ = opening + milliseconds(30'000);
    EXPECT_EQ(ask(1).what, answer::sold_out);
}

TEST_F(ShelfTest, TellsACoolingBuyerFirstWhatCannotChangeByWaiting) {
    reset(terms(5, 2));
    ask(1, 1, 5);
    shelf_->cool({{1}, opening + milliseconds(30'000)});
    EXPECT_EQ(ask(1, 1, 5).what, answer::repeated);
    EXPECT_EQ(ask(1, 3).what, answer::over_limit);
    EXPECT_EQ(ask(1, 2).what, answer::already_ordered) << "the limit is reached";
    EXPECT_EQ(ask(1, 1).what, answer::cooling_down) << "it is not";
    sale::sale t = terms(5, 2);
    t.state = sale::sale_state::paused;
    ASSERT_TRUE(shelf_->change_terms(t));
    EXPECT_EQ(ask(1, 1).what, answer::paused);
}

TEST_F(ShelfTest, ReleasesAnOrderOnlyOnce) {
    const auto first = ask(1);
    EXPECT_TRUE(shelf_->release({1}, first.order));
    EXPECT_FALSE(shelf_->release({1}, first.order));
    EXPECT_FALSE(shelf_->release({99}, first.order));
    EXPECT_EQ(taken(), 0);
}

TEST_F(ShelfTest, KnowsAllOrdersOfABuyerThroughReleasesAtEveryPlace) {
    for (const std::size_t gone : {0U, 1U, 2U}) {
        last_ = 0;
        reset(terms(10, 3));
        for (int i = 0; i < 3; ++i) ask(1);
        EXPECT_EQ(orders_of(1), (std::vector<std::uint64_t>{3, 2, 1}));
        std::vector<std::uint64_t> left{3, 2, 1};
        EXPECT_TRUE(shelf_->release({1}, {left[gone]}));
        EXPECT_FALSE(shelf_->release({1}, {left[gone]}));
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(gone));
        EXPECT_EQ(orders_of(1), left);
        for (const auto no : left) EXPECT_TRUE(shelf_->release({1}, {no}));
        EXPECT_TRUE(orders_of(1).empty());
        EXPECT_EQ(taken(), 0);
    }
}

TEST_F(ShelfTest, NamesEverythingItHolds) {
    reset(terms(10, 3));
    ask(2);
    ask(1, 2);
    ask(2, 2);
    ask(3);
    EXPECT_TRUE(shelf_->release({3}, {4}));
    const std::vector<held_unit> expected{{{2}, {1}, 1}, {{1}, {2}, 2}, {{2}, {3}, 2}};
    EXPECT_EQ(shelf_->held(), expected);
}

TEST_F(ShelfTest, TakesBackWhatWasLostOnceAndNeverPastTheStock) {
    const sale::promise lost{.order = {50}, .sale = {7}, .buyer = {1}, .quantity = 1};
    EXPECT_TRUE(shelf_->retake(lost));
    EXPECT_TRUE(shelf_->retake(lost));
    EXPECT_EQ(taken(), 1);
    EXPECT_EQ(ask(1).what, answer::already_ordered);
    EXPECT_EQ(ask(2).what, answer::accepted);
    EXPECT_FALSE(shelf_->retake({.order = {51}, .sale = {7}, .buyer = {3}, .quantity = 1}));
    EXPECT_TRUE(shelf_->retake(lost)) << "it is held: nothing to take";
    EXPECT_EQ(taken(), 2);
}

TEST_F(ShelfTest, RemembersTheKeyOfAnOrderThatHoldsNothing) {
    sale::promise closed{.order = {50}, .sale = {7}, .buyer = {1}, .quantity = 1};
    closed.key[0] = std::byte{5};
    shelf_->restore_key(closed);
    EXPECT_EQ(taken(), 0);
    EXPECT_EQ(ask(1, 1, 5).what, answer::repeated);
    EXPECT_EQ(ask(1, 1, 5).order, closed.order);
    EXPECT_EQ(ask(1, 1, 6).what, answer::accepted) << "but may buy again";
    closed.order = {49};
    shelf_->restore_key(closed);
    EXPECT_EQ(ask(1, 1, 5).order, (sale::order_no{50})) << "who was there first stays";
}

TEST_F(ShelfTest, AnOrderWithoutAKeyLeavesNone) {
    shelf_->restore_key({.order = {50}, .sale = {7}, .buyer = {1}, .quantity = 1});
    EXPECT_EQ(ask(1).what, answer::accepted);
}

TEST_F(ShelfTest, CountsWhatWasEverGivenAndReturned) {
    reset(terms(10, 3));
    ask(1, 3);
    ask(2, 1);
    EXPECT_TRUE(shelf_->release({1}, {1}));
    EXPECT_FALSE(shelf_->release({1}, {1}));
    ask(1, 2);
    EXPECT_EQ(shelf_->look().given, 6);
    EXPECT_EQ(shelf_->look().returned, 3);
    EXPECT_EQ(shelf_->look().taken, 3);
    EXPECT_EQ(shelf_->look().largest, 3U);
}

TEST_F(ShelfTest, WarmingUpAgainKeepsWhatIsTaken) {
    ask(1);
    ASSERT_TRUE(shelf_->change_terms(terms(2)));
    EXPECT_EQ(taken(), 1);
    EXPECT_EQ(ask(2).what, answer::accepted);
    EXPECT_EQ(ask(3).what, answer::sold_out);
    ASSERT_TRUE(shelf_->change_terms(terms(3)));
    EXPECT_EQ(ask(3).what, answer::accepted);
}

TEST_F(ShelfTest, RefusesATotalBelowWhatIsTaken) {
    ask(1);
    ask(2);
    EXPECT_FALSE(shelf_->change_terms(terms(1)));
    EXPECT_EQ(shelf_->look().stock, 2);
}

TEST_F(ShelfTest, AMillionBuyersTakeLessThanAHundredBytesEach) {
    reset(terms(1'000'000));
    for (std::int64_t b = 1; b <= 1'000'000; ++b) ASSERT_EQ(ask(b).what, answer::accepted);
    EXPECT_EQ(ask(1'000'001).what, answer::sold_out);
    EXPECT_EQ(shelf_->look().buyers, 1'000'000U);
    EXPECT_LT(shelf_->look().bytes, 100'000'000U);
}

}  // namespace
}  // namespace floodgate::gate
