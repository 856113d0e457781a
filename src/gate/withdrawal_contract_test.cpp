// For every turnstile: units that the ledger has withdrawn are never sold again, in whichever order
// releases and warm-ups arrive.

#include "gate/turnstile_contract.hpp"

namespace floodgate::gate {
namespace {

using sale::answer;

class WithdrawalContractTest : public TurnstileContractTest {
protected:
    static sale::sale terms(std::int64_t stock, std::int64_t revision) {
        sale::sale s = open_sale(1, stock, 3);
        s.revision = revision;
        return s;
    }
    sale::order_no order_of(std::int64_t buyer, std::uint32_t quantity = 1) {
        const auto v = ask_one(1, buyer, quantity);
        EXPECT_EQ(v.what, answer::accepted);
        return v.order;
    }
    void withdraw(std::int64_t buyer, sale::order_no order, std::int64_t at) {
        gate().release(
            {.sale = {1}, .buyer = {buyer}, .order = order, .wait = {}, .withdrawn_at = at});
    }
    // Stock and taken units.
    std::pair<std::int64_t, std::int64_t> figures() {
        const standing s = gate().look_up({1}).value();
        return {s.stock, s.taken};
    }
};
using both = std::pair<std::int64_t, std::int64_t>;
INSTANTIATE_TEST_SUITE_P(All, WithdrawalContractTest, every_turnstile, name_of_turnstile);

TEST_P(WithdrawalContractTest, TakesTheUnitsOutOfTheStock) {
    warm_up(terms(5, 1));
    const auto order = order_of(7, 2);
    withdraw(7, order, 2);
    EXPECT_EQ(figures(), both(3, 0));
    EXPECT_TRUE(gate().held_in({1}).empty());
    EXPECT_EQ(gate().look_up({1})->returned, 2);
    EXPECT_EQ(ask_one(1, 7, 3).what, answer::accepted) << "the buyer may buy again";
    EXPECT_EQ(ask_one(1, 8).what, answer::sold_out);
}

TEST_P(WithdrawalContractTest, StaysSoldOut) {
    warm_up(terms(1, 1));
    const auto order = order_of(7);
    EXPECT_EQ(ask_one(1, 8).what, answer::sold_out);
    withdraw(7, order, 2);
    EXPECT_EQ(figures(), both(0, 0));
    for (const std::int64_t buyer : {7, 8, 9})
        EXPECT_EQ(ask_one(1, buyer).what, answer::sold_out) << buyer;
    warm_up(terms(0, 2));
    EXPECT_EQ(ask_one(1, 8).what, answer::sold_out);
    warm_up(terms(1, 3));
    EXPECT_EQ(ask_one(1, 7).what, answer::accepted) << "an admin has added one";
}

TEST_P(WithdrawalContractTest, HappensOnce) {
    warm_up(terms(5, 1));
    const auto order = order_of(7);
    withdraw(7, order, 2);
    withdraw(7, order, 2);
    gate().release({1}, {7}, order);
    EXPECT_EQ(figures(), both(4, 0));
    withdraw(7, {12345}, 9);  // an order that nobody knows
    withdraw(8, order, 9);
    EXPECT_EQ(figures(), both(4, 0));
    warm_up(terms(6, 3));
    EXPECT_EQ(figures(), both(6, 0)) << "they withdrew nothing";
}

TEST_P(WithdrawalContractTest, LeavesAStockThatIsTheLedgersSinceThen) {
    for (const std::int64_t revision : {2, 3}) {
        warm_up(terms(5, 1));
        const auto order = order_of(7);
        warm_up(terms(4, revision));
        EXPECT_EQ(figures(), both(4, 1));
        withdraw(7, order, 2);
        EXPECT_EQ(figures(), both(4, 0)) << revision;
        ASSERT_TRUE(gate().forget(terms(4, revision)).has_value());
    }
}

TEST_P(WithdrawalContractTest, WaitsForItsReleaseWhereNoFewerUnitsAreTaken) {
    warm_up(terms(1, 1));
    const auto order = order_of(7);
    EXPECT_EQ(gate().warm_up(terms(0, 2)).error(), make_error_code(errc::conflict));
    withdraw(7, order, 2);
    EXPECT_EQ(figures(), both(0, 0));
    warm_up(terms(0, 2));
    EXPECT_EQ(figures(), both(0, 0));
}

TEST_P(WithdrawalContractTest, IsNotUndoneByOlderTerms) {
    warm_up(terms(5, 1));
    const auto order = order_of(7);
    withdraw(7, order, 4);
    for (const std::int64_t old : {1, 2, 3}) {
        warm_up(terms(5, old));
        EXPECT_EQ(figures(), both(4, 0)) << old;
    }
    sale::sale paused = terms(4, 4);
    paused.state = sale::sale_state::paused;
    warm_up(paused);
    EXPECT_EQ(ask_one(1, 8).what, answer::paused) << "these are not older";
}

TEST_P(WithdrawalContractTest, OfSeveralOrdersComesInAnyOrder) {
    warm_up(terms(9, 1));
    const auto first = order_of(1), second = order_of(2), third = order_of(3), kept = order_of(4);
    const std::vector<turnstile::returned> back{
        {.sale = {1}, .buyer = {3}, .order = third, .wait = {}, .withdrawn_at = 4},
        {.sale = {1}, .buyer = {1}, .order = first, .wait = {}, .withdrawn_at = 2}};
    gate().release_all(back);
    EXPECT_EQ(figures(), both(7, 2));
    warm_up(terms(8, 2));
    EXPECT_EQ(figures(), both(7, 2)) << "the third is not back";
    warm_up(terms(6, 4));
    EXPECT_EQ(figures(), both(6, 2));
    withdraw(2, second, 3);
    EXPECT_EQ(figures(), both(6, 1));
    EXPECT_EQ(gate().held_in({1}), (std::vector<held_unit>{{{4}, kept, 1}}));
}

// Terms that the ledger does not have yet: a sale is paused at once, or units are about to be
// removed. They may have been made before the withdrawal.
TEST_P(WithdrawalContractTest, IsNotUndoneByTermsThatTheLedgerDoesNotHaveYet) {
    warm_up(terms(5, 1));
    const auto order = order_of(7);
    withdraw(7, order, 2);
    sale::sale paused = terms(5, 0);
    paused.state = sale::sale_state::paused;
    warm_up(paused);
    EXPECT_EQ(figures(), both(4, 0));
    EXPECT_EQ(ask_one(1, 8).what, answer::paused);
    warm_up(terms(3, 0));
    EXPECT_EQ(figures(), both(3, 0));
    EXPECT_EQ(ask_one(1, 8).what, answer::accepted);
    warm_up(terms(5, 1));
    EXPECT_EQ(figures(), both(3, 1)) << "older than the withdrawal";
    warm_up(terms(4, 2));
    EXPECT_EQ(figures(), both(4, 1));
}

TEST_P(WithdrawalContractTest, IsForgottenWithTheSale) {
    warm_up(terms(5, 1));
    withdraw(7, order_of(7), 2);
    ASSERT_TRUE(gate().forget(terms(4, 2)).has_value());
    warm_up(terms(5, 1));
    EXPECT_EQ(figures(), both(5, 0)) << "as the caller read it from the ledger";
}

}  // namespace
}  // namespace floodgate::gate
