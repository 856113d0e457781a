#include "ledger/switch_book.hpp"

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

class SwitchContractTest : public LedgerContractTest {
protected:
    result<switches> change(const switch_change& to) {
        return book_.switches().change(to, [&](const switch_book::changed& c) {
            return audit_line{
                0,          to.at,
                to.who,     "switches.changed",
                "switches", c.before.sales == c.after.sales ? "{}" : R"({"sales":"changed"})"};
        });
    }
};
INSTANTIATE_TEST_SUITE_P(Over, SwitchContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(SwitchContractTest, EverythingIsOnAtFirst) {
    const switches first = book_.switches().read().value();
    EXPECT_TRUE(first.all_on());
    EXPECT_EQ(first.reason, "");
}

TEST_P(SwitchContractTest, WhatIsNotNamedStaysAndTheActIsAudited) {
    ASSERT_TRUE(change({.sales = false, .reason = "fire", .who = {7}, .at = noon}));
    ASSERT_TRUE(change({.logins = false, .reason = "guessers", .who = {8}, .at = noon}));
    const switches now = book_.switches().read().value();
    EXPECT_FALSE(now.sales);
    EXPECT_FALSE(now.logins);
    EXPECT_TRUE(now.registration);
    EXPECT_TRUE(now.refunds);
    EXPECT_EQ(now.reason, "guessers");
    EXPECT_EQ(now.changed_by, sale::user_id{8});
    EXPECT_EQ(now.changed_at, noon);
    const auto lines = book_.audit().list(0, 10).value();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].details, "{}");
    EXPECT_EQ(lines[1].details, R"({"sales":"changed"})");
}

}  // namespace
}  // namespace floodgate::ledger
