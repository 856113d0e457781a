// M10 of the security review: a change whose audit line cannot be written is not made, neither in
// the ledger nor at the gate. The brake works nevertheless; its line is written when the ledger
// follows.

#include <boost/json/parse.hpp>

#include "shop/desk_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::fine;
using ledger::outcome;
using sale::sale_state;
using strings = std::vector<std::string>;

class SignedChangesTest : public DeskTest {
protected:
    void break_audit_book() { verbs_.sql("ALTER TABLE audit RENAME TO audit_away"); }
    void mend_audit_book() { verbs_.sql("ALTER TABLE audit_away RENAME TO audit"); }
    std::int64_t stock_in_book() { return book_.catalogue().find_sale(sale_)->stock; }
    std::int64_t stock_at_gate() { return turnstile_.look_up(sale_)->stock; }

    const sale::sale_id sale_ = open_sale(5);
};

TEST_F(SignedChangesTest, StockDoesNotMoveWithoutItsLine) {
    break_audit_book();
    EXPECT_NE(outcome(desk_.change_stock(sale_, {.delta = 7}, admin_)), fine);
    EXPECT_NE(outcome(desk_.change_stock(sale_, {.delta = -2}, admin_)), fine);
    EXPECT_EQ(stock_in_book(), 5);
    EXPECT_EQ(stock_at_gate(), 5);
    EXPECT_EQ(node_.catalogue_changes, 0);
    mend_audit_book();
    EXPECT_EQ(actions(), strings{});
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

TEST_F(SignedChangesTest, NeitherTermsNorASaleThatIsResumed) {
    EXPECT_EQ(outcome(desk_.pause(sale_, admin_)), fine);
    break_audit_book();
    EXPECT_NE(outcome(desk_.resume(sale_, admin_)), fine);
    EXPECT_NE(outcome(desk_.change_terms(sale_, {.price = sale::fen{1}}, admin_)), fine);
    EXPECT_NE(outcome(desk_.warm_up(sale_, admin_)), fine);
    EXPECT_NE(outcome(desk_.warm_up_all(admin_)), fine);
    EXPECT_FALSE(desk_.progress().running);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);
    mend_audit_book();
    EXPECT_EQ(in_book(sale_), sale_state::paused);
    EXPECT_EQ(actions(), strings{"sale.paused"});
}

TEST_F(SignedChangesTest, TheBrakeWorksAndItsLineFollows) {
    break_audit_book();
    const auto closed = desk_.pause(sale_, admin_);
    ASSERT_EQ(outcome(closed), fine);
    EXPECT_TRUE(closed->book_pending);
    EXPECT_EQ(buy(sale_, 1), sale::answer::paused);
    EXPECT_EQ(in_book(sale_), sale_state::published);
    step_after(milliseconds(1000));
    EXPECT_EQ(in_book(sale_), sale_state::published) << "not without its line";
    mend_audit_book();
    step_after(milliseconds(10'000));
    EXPECT_EQ(in_book(sale_), sale_state::paused);
    EXPECT_EQ(actions(), strings{"sale.paused"});
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

TEST_F(SignedChangesTest, TheLineSaysWhereTheAdminCameFrom) {
    EXPECT_EQ(outcome(desk_.change_stock(sale_, {.delta = 2, .note = "found some"},
                                         {.who = {7}, .address = "192.0.2.7"})),
              fine);
    const ledger::audit_line line = audit().at(0);
    EXPECT_EQ(line.address, "192.0.2.7");
    const auto details = boost::json::parse(line.details);
    EXPECT_EQ(details.at("before").at("stock").as_int64(), 5);
    EXPECT_EQ(details.at("after").at("stock").as_int64(), 7);
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

}  // namespace
}  // namespace floodgate::shop
