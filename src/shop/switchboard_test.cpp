#include "shop/switchboard.hpp"

#include <gtest/gtest.h>

#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"

namespace floodgate::shop {
namespace {

class SwitchboardTest : public testing::Test {
protected:
    std::unique_ptr<store::database> open() {
        auto real = ledger::databases().front().open(directory_);
        how_->dialect = real->speaks();
        return ledger::tamper(std::move(real), how_);
    }
    static ledger::audit_line line(const ledger::switch_book::changed&) { return {}; }

    ledger::scratch_directory directory_;
    std::shared_ptr<ledger::tampering> how_ = std::make_shared<ledger::tampering>();
    ledger::book_verbs verbs_{open()};
    switchboard here_{verbs_.book().switches()}, there_{verbs_.book().switches()};
};

TEST_F(SwitchboardTest, TheNodeThatChangesFollowsAtOnceTheOthersAtTheirNextLook) {
    ASSERT_TRUE(here_.change({.sales = false, .reason = "fire"}, line));
    EXPECT_FALSE(here_.sales());
    EXPECT_TRUE(here_.logins());
    EXPECT_TRUE(there_.sales()) << "it has not looked yet";
    ASSERT_TRUE(there_.look());
    EXPECT_FALSE(there_.sales());
    EXPECT_EQ(there_.seen().reason, "fire");
    ASSERT_TRUE(there_.change({.sales = true, .reason = "out"}, line));
    ASSERT_TRUE(here_.look());
    EXPECT_TRUE(here_.sales());
}

TEST_F(SwitchboardTest, WhileTheLedgerIsAwayThePositionsStay) {
    ASSERT_TRUE(here_.change({.logins = false, .refunds = false, .reason = "x"}, line));
    how_->before = [] { throw store::sql_error(store::sql_failure::busy, "as told"); };
    EXPECT_FALSE(here_.look());
    EXPECT_FALSE(here_.change({.logins = true, .reason = "y"}, line));
    EXPECT_FALSE(here_.logins());
    EXPECT_FALSE(here_.refunds());
    EXPECT_TRUE(here_.registration());
}

}  // namespace
}  // namespace floodgate::shop
