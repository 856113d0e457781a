#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

class AuditContractTest : public LedgerContractTest {};
INSTANTIATE_TEST_SUITE_P(Over, AuditContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(AuditContractTest, LinesComeNewestFirstInPages) {
    for (int i = 1; i <= 5; ++i) {
        const audit_line line{0,           noon + milliseconds(i), {i}, "sale.paused", "sale 7",
                              R"({"n":1})"};
        ASSERT_EQ(outcome(book_.audit().add(line)), fine);
    }
    const auto first = book_.audit().list(0, 2).value();
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[0].who, sale::user_id{5});
    EXPECT_EQ(first[0].at, noon + milliseconds(5));
    EXPECT_EQ(first[0].action, "sale.paused");
    EXPECT_EQ(first[0].subject, "sale 7");
    EXPECT_EQ(first[0].details, R"({"n":1})");

    const auto rest = book_.audit().list(first[1].id, 10).value();
    ASSERT_EQ(rest.size(), 3U);
    EXPECT_EQ(rest[0].who, sale::user_id{3});
    EXPECT_THAT(book_.audit().list(rest[2].id, 10).value(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
