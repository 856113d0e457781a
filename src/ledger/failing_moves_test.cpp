// When the database fails during a move, the move is made completely or not at all.

#include "ledger/move_fixture.hpp"
#include "ledger/tampered_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

class FailingMoveContractTest : public testing::TestWithParam<database_kind> {
protected:
    std::unique_ptr<store::database> open() {
        auto real = GetParam().open(directory_);
        how_->dialect = real->speaks();
        return tamper(std::move(real), how_);
    }
    // Fails at the first statement, then at the second ..., until it gets through.
    int fail_everywhere(act a, const sale::promise& p) {
        const std::string before = orders_.picture();
        for (int at = 1;; ++at) {
            int countdown = at;
            how_->before = [&] {
                if (--countdown == 0) throw store::sql_error(store::sql_failure::other, "as told");
            };
            const auto got = orders_.perform(a, p);
            how_->before = nullptr;
            if (countdown > 0) {
                EXPECT_TRUE(got.value().moved) << to_text(a);
                return at - 1;
            }
            EXPECT_EQ(outcome(got), errc::store_unavailable) << to_text(a) << ", statement " << at;
            EXPECT_EQ(orders_.picture(), before) << to_text(a) << ", statement " << at;
        }
    }

    scratch_directory directory_;
    std::shared_ptr<tampering> how_ = std::make_shared<tampering>();
    book_verbs verbs_{open()};
    move_verbs orders_{verbs_};
    move_book& moves_ = verbs_.book().moves();
    sale::sale_id sale_ = verbs_.add_sale();
};
INSTANTIATE_TEST_SUITE_P(Over, FailingMoveContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(FailingMoveContractTest, AFailureAtAnyStatementOfAMoveLeavesTheBookAsItWas) {
    const auto kept = orders_.order(sale_, 1), given = orders_.order(sale_, 2);
    EXPECT_GE(fail_everywhere(act::begin, kept), 4);
    EXPECT_GE(fail_everywhere(act::cancel, given), 8);
    EXPECT_GE(fail_everywhere(act::cancel, kept), 4);
    EXPECT_GE(fail_everywhere(act::pay, kept), 6);
    EXPECT_GE(fail_everywhere(act::ask_refund, kept), 6);
    EXPECT_GE(fail_everywhere(act::finish_refund, kept), 9);
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());

    const auto late = orders_.order_in("closing", sale_, 3);
    EXPECT_GE(fail_everywhere(act::close, late), 9);
    EXPECT_GE(fail_everywhere(act::pay, late), 6);
    EXPECT_GE(fail_everywhere(act::finish_refund, late), 5);
    EXPECT_GE(fail_everywhere(act::pay_other, late), 6);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingMoveContractTest, AFailureAtAnyStatementLeavesEverythingDueAsItWas) {
    const auto other = verbs_.add_sale();
    const auto begun = orders_.order_in("begun", other, 1);
    for (int buyer = 2; buyer <= 6; ++buyer) orders_.order(buyer % 2 == 0 ? sale_ : other, buyer);
    EXPECT_GE(fail_everywhere(act::close_due, orders_.order(sale_, 7)), 12);
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_EQ(verbs_.held(other), 1);
    EXPECT_EQ(move_verbs::shown(orders_.find(begun)), "unpaid closing timed_out");
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingMoveContractTest, AMoveWhoseAnswerWasLostIsFoundByTheNextTry) {
    const auto p = orders_.order(sale_, 1);
    how_->after = [](std::string_view sql) {
        if (sql == "COMMIT") throw store::sql_error(store::sql_failure::other, "connection lost");
    };
    EXPECT_EQ(outcome(moves_.cancel(p.order, p.buyer, p.at)), errc::store_unavailable);
    how_->after = nullptr;
    const auto again = moves_.cancel(p.order, p.buyer, p.at).value();
    EXPECT_FALSE(again.moved);
    EXPECT_EQ(move_verbs::shown(again.order), "closed cancelled");
    EXPECT_EQ(verbs_.held(sale_), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(FailingMoveContractTest, EveryCallSaysSoWhenTheStoreIsGone) {
    const auto p = orders_.order_in("closing", sale_, 1);
    const auto asked = moves_.all_questions({}, 1).value().at(0);
    how_->before = [] { throw store::sql_error(store::sql_failure::busy, "as told"); };
    const auto gone = make_error_code(errc::store_unavailable);
    for (const act a : acts) EXPECT_EQ(outcome(orders_.perform(a, p)), gone) << to_text(a);
    EXPECT_EQ(outcome(moves_.open_questions(noon, 1)), gone);
    EXPECT_EQ(outcome(moves_.ask_again(asked, noon, "")), gone);
    EXPECT_EQ(outcome(moves_.all_questions({}, 1)), gone);
    EXPECT_EQ(outcome(moves_.count_questions()), gone);
    EXPECT_EQ(outcome(moves_.oldest_question()), gone);
    EXPECT_EQ(outcome(moves_.find(p.order)), gone);
    refund_book refunds(verbs_.db());
    EXPECT_EQ(outcome(refunds.of(p.order)), gone);
    EXPECT_EQ(outcome(refunds.extra({INT64_MAX}, 1)), gone);
    EXPECT_EQ(outcome(refunds.count_extra(noon)), gone);
    EXPECT_EQ(outcome(moves_.events_of({1}, 0, 1)), gone);
    EXPECT_EQ(outcome(moves_.latest_event_of({1})), gone);
    auto& orders = verbs_.book().orders();
    EXPECT_EQ(outcome(orders.for_each_spent_key({1}, [](const auto&) {})), gone);
    EXPECT_EQ(outcome(orders.probe()), gone);
    how_->before = nullptr;
    EXPECT_EQ(outcome(orders.probe()), fine);
}

}  // namespace
}  // namespace floodgate::ledger
