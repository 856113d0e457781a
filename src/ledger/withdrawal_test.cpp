// Sales that do not sell refunded units again: the units leave the stock.

#include <set>

#include "ledger/move_batch.hpp"
#include "ledger/move_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WithdrawalContractTest : public MoveTest {
protected:
    sale::sale terms(sale::sale_id id) { return book_.catalogue().find_sale(id).value(); }
    // "withdrawn 5>4 1>0 order 1001 refund_done": stock, then held.
    std::vector<std::string> log(sale::sale_id id, std::size_t lines) {
        std::vector<std::string> all;
        for (const stock_move& m : book_.catalogue().stock_log(id, lines).value())
            all.push_back(fmt::format("{} {}>{} {}>{} {}", m.kind, m.stock_before, m.stock_after,
                                      m.held_before, m.held_after, m.note));
        return all;
    }
    std::int64_t marks() {
        return verbs_.number("SELECT COUNT(*) FROM orders WHERE mark IS NOT NULL");
    }

    sale::sale_id once_ = verbs_.add_sale({.stock = 5, .limit = 3, .resell_refunded = false});
};
INSTANTIATE_TEST_SUITE_P(Over, WithdrawalContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(WithdrawalContractTest, ARefundTakesTheUnitsOutOfTheStock) {
    const auto p = orders_.order(once_, 1, 2);
    orders_.begin(p);
    orders_.pay(p);
    const auto before = terms(once_).revision;
    EXPECT_EQ(orders_.ask_refund(p).withdrawn_at, 0) << "they are still held";
    EXPECT_EQ(terms(once_).revision, before);
    const auto done = orders_.finish_refund(p);
    EXPECT_EQ(done.withdrawn_at, before + 1);
    EXPECT_EQ(terms(once_).revision, before + 1);
    EXPECT_EQ(terms(once_).stock, 3);
    EXPECT_EQ(verbs_.held(once_), 0);
    EXPECT_EQ(marks(), 0) << "the buyer may buy again";
    EXPECT_THAT(log(once_, 1), ElementsAre("withdrawn 5>3 2>0 order 1001 refund_done"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
    EXPECT_FALSE(orders_.finish_refund(p).moved) << "said again";
    EXPECT_EQ(terms(once_).stock, 3);
    EXPECT_EQ(verbs_.state(orders_.order(once_, 1, 3)), "unpaid");
}

TEST_P(WithdrawalContractTest, APartOfTheMoneyDoesNot) {
    const auto p = orders_.order_in("part", once_, 1);
    EXPECT_EQ(terms(once_).stock, 5);
    EXPECT_EQ(verbs_.held(once_), 1);
    orders_.ask_refund(p);
    EXPECT_GT(orders_.finish_refund(p).withdrawn_at, 0) << "the rest does";
    EXPECT_EQ(terms(once_).stock, 4);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(WithdrawalContractTest, AnOrderThatIsClosedGivesItsUnitsBack) {
    const auto before = terms(once_).revision;
    EXPECT_EQ(orders_.cancel(orders_.order(once_, 1)).withdrawn_at, 0);
    EXPECT_EQ(orders_.time_out(orders_.order(once_, 2)).withdrawn_at, 0);
    const auto p = orders_.order_in("closing", once_, 3);
    EXPECT_EQ(orders_.close(p).withdrawn_at, 0);
    const auto late = orders_.order_in("late", once_, 4);
    EXPECT_EQ(orders_.finish_refund(late).withdrawn_at, 0) << "it holds no units any more";
    EXPECT_EQ(terms(once_).stock, 5);
    EXPECT_EQ(terms(once_).revision, before);
    EXPECT_EQ(verbs_.held(once_), 0);
    EXPECT_EQ(orders_.last_line(once_).kind, "released");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(WithdrawalContractTest, OtherSalesSellRefundedUnitsAgain) {
    const auto p = orders_.order_in("refunding", sale_, 1);
    EXPECT_EQ(orders_.finish_refund(p).withdrawn_at, 0);
    EXPECT_EQ(terms(sale_).stock, 1000);
    EXPECT_EQ(orders_.last_line(sale_).kind, "released");
}

TEST_P(WithdrawalContractTest, TheSettingCountsWhenTheMoneyIsBack) {
    const auto first = orders_.order_in("refunding", once_, 1),
               second = orders_.order_in("refunding", once_, 2);
    sale::sale changed = terms(once_);
    changed.resell_refunded = true;
    ASSERT_TRUE(book_.catalogue().update_sale_terms(changed).has_value());
    EXPECT_EQ(orders_.finish_refund(first).withdrawn_at, 0);
    changed.resell_refunded = false;
    ASSERT_TRUE(book_.catalogue().update_sale_terms(changed).has_value());
    const auto done = orders_.finish_refund(second);
    EXPECT_EQ(done.withdrawn_at, terms(once_).revision);
    EXPECT_THAT(log(once_, 2), ElementsAre("withdrawn 5>4 1>0 order 1002 refund_done",
                                           "released 5>5 2>1 order 1001 refund_done"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

// What happens in a rush: refunds and closings of several sales in one transaction.
TEST_P(WithdrawalContractTest, ManyOrdersOfOneTransactionShareARevision) {
    const auto first = orders_.order_in("refunding", once_, 1),
               second = orders_.order_in("refunding", once_, 2),
               closed = orders_.order_in("unpaid", once_, 3),
               elsewhere = orders_.order_in("refunding", sale_, 4);
    std::vector<std::string> numbers;
    std::vector<move_request> wanted;
    for (const auto& p : {first, second, elsewhere})
        numbers.push_back(orders_.oldest_refund(p).value());
    std::size_t next = 0;
    for (const auto& p : {first, second, elsewhere})
        wanted.push_back({.kind = move_kind::finish_refund,
                          .order = p.order,
                          .now = noon,
                          .refund_number = numbers[next++]});
    wanted.push_back({.kind = move_kind::cancel, .order = closed.order, .now = noon});
    std::vector<move_answer> answers(wanted.size());
    std::vector<batched_move> batch;
    for (std::size_t i = 0; i < wanted.size(); ++i) batch.push_back({&wanted[i], &answers[i]});
    const auto revision = terms(once_).revision;
    {
        const auto c = verbs_.db().writer();
        store::transaction t(*c, store::access::write);
        ASSERT_TRUE(make_moves(*c, batch));
        t.commit();
    }
    std::vector<std::int64_t> withdrawn_at;
    for (const move_answer& a : answers)
        withdrawn_at.push_back(std::get<move_outcome>(a).withdrawn_at);
    EXPECT_THAT(withdrawn_at, ElementsAre(revision + 1, revision + 1, 0, 0));
    EXPECT_EQ(terms(once_).revision, revision + 1);
    EXPECT_EQ(terms(once_).stock, 3);
    EXPECT_EQ(verbs_.held(once_), 0);
    EXPECT_EQ(terms(sale_).stock, 1000);
    EXPECT_EQ(verbs_.held(sale_), 0);
    const auto lines = log(once_, 2);
    EXPECT_EQ(std::set(lines.begin(), lines.end()).size(), 2U);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(WithdrawalContractTest, AnAdminCanStillChangeTheStock) {
    orders_.order_in("refunded", once_, 1);
    orders_.order_in("paid", once_, 2);
    EXPECT_EQ(book_.catalogue().change_stock(once_, 2, "more", noon).value(), 6);
    EXPECT_EQ(book_.catalogue().change_stock(once_, -5, "less", noon).value(), 1);
    EXPECT_EQ(outcome(book_.catalogue().change_stock(once_, -1, "sold", noon)), errc::conflict);
    EXPECT_THAT(log(once_, 3), ElementsAre("removed 6>1 1>1 less", "added 4>6 1>1 more",
                                           "entered 4>4 0>1 orders 1002 to 1002"));
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(WithdrawalContractTest, UnitsAreRemovedOnlyFromTheStockThatWasRead) {
    const auto read = terms(once_).revision;
    orders_.order_in("refunded", once_, 1);
    EXPECT_EQ(outcome(book_.catalogue().change_stock(once_, -1, "", noon, {}, read)),
              errc::conflict);
    EXPECT_EQ(terms(once_).stock, 4);
    EXPECT_EQ(book_.catalogue().change_stock(once_, -1, "", noon, {}, read + 1).value(), 3);
}

TEST_P(WithdrawalContractTest, TheTallyAndTheRepairGoOnFromTheSmallerStock) {
    orders_.order_in("refunded", once_, 1);
    orders_.order_in("paid", once_, 2);
    const auto all = book_.tallies().take().value().sales;
    const auto tally = std::ranges::find(all, once_, &sale_tally::sale);
    ASSERT_NE(tally, all.end());
    EXPECT_TRUE(tally->adds_up());
    EXPECT_EQ(tally->stock, 4);
    EXPECT_EQ(tally->refunded, 1);
    verbs_.sql("UPDATE sales SET held = 3 WHERE id = " + std::to_string(once_.value));
    EXPECT_FALSE(verbs_.check().empty());
    EXPECT_TRUE(book_.tallies().repair(once_, "by hand", noon).value().open.empty());
    EXPECT_EQ(terms(once_).stock, 4);
    EXPECT_EQ(verbs_.held(once_), 1);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(WithdrawalContractTest, AWithdrawalWithoutItsLineIsFound) {
    orders_.order_in("refunded", once_, 1);
    verbs_.sql("DELETE FROM stock_log WHERE kind = 'withdrawn'");
    EXPECT_FALSE(verbs_.check().empty());
}

}  // namespace
}  // namespace floodgate::ledger
