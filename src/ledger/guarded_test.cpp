#include "ledger/guarded.hpp"

#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"

namespace floodgate::ledger {
namespace {

using store::sql_error;
using store::sql_failure;
using testing::IsEmpty;

TEST(AttemptTest, AnEntryWhoseConflictDoesNotEndIsGivenUp) {
    int runs = 0;
    const auto act = [&]() -> result<int> {
        ++runs;
        throw sql_error(sql_failure::conflict, "in the way");
    };
    EXPECT_EQ(outcome(guarded_entry("test", act)), errc::store_unavailable);
    EXPECT_EQ(runs, 20);
}

class ConflictContractTest : public testing::TestWithParam<database_kind> {
protected:
    std::unique_ptr<store::database> open() {
        auto real = GetParam().open(directory_);
        how_->dialect = real->speaks();
        return tamper(std::move(real), how_);
    }
    scratch_directory directory_;
    std::shared_ptr<tampering> how_ = std::make_shared<tampering>();
    book_verbs verbs_{open()};
};
INSTANTIATE_TEST_SUITE_P(Over, ConflictContractTest, testing::ValuesIn(databases()), name_of);

// What an act has gathered before the conflict must not count twice.
TEST_P(ConflictContractTest, AConflictAtAnyStatementOfABatchLeavesNoTrace) {
    const auto sale = verbs_.add_sale({.stock = 1000}), narrow = verbs_.add_sale({.stock = 1});
    auto& book = verbs_.book();
    std::int64_t buyer = 0;
    bool through = false;
    for (int at = 1; !through; ++at) {
        int countdown = at;
        how_->before = [&] {
            if (--countdown == 0) throw sql_error(sql_failure::conflict, "in the way");
        };
        buyer += 2;
        const std::vector batch{verbs_.promise(sale, buyer), verbs_.promise(sale, buyer),
                                verbs_.promise(sale, buyer + 1), verbs_.promise({999}, buyer)};
        const sale::sequence last{verbs_.entered().value + static_cast<std::uint64_t>(at) * 4};
        const auto report = book.orders().enter(batch, last).value();
        ASSERT_EQ(report.entered, 2U) << at;
        ASSERT_EQ(report.refused, 2U) << at;
        ASSERT_EQ(report.known, 0U) << at;
        through = countdown > 0;
        how_->before = nullptr;
    }
    EXPECT_EQ(verbs_.held(sale), buyer);
    EXPECT_EQ(verbs_.held(narrow), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

TEST_P(ConflictContractTest, AConflictAtAnyStatementOfAClosingLeavesNoTrace) {
    const auto sale = verbs_.add_sale({.stock = 1000});
    auto& book = verbs_.book();
    std::int64_t buyer = 0;
    bool through = false;
    for (int at = 1; !through; ++at) {
        verbs_.enter({verbs_.promise(sale, ++buyer), verbs_.promise(sale, ++buyer)});
        int countdown = at;
        how_->before = [&] {
            if (--countdown == 0) throw sql_error(sql_failure::conflict, "in the way");
        };
        const auto report = book.moves().close_due(noon + std::chrono::hours(1), 10).value();
        ASSERT_EQ(report.closed.size(), 2U) << at;
        ASSERT_EQ(report.found, 2U) << at;
        through = countdown > 0;
        how_->before = nullptr;
    }
    EXPECT_EQ(verbs_.held(sale), 0);
    EXPECT_THAT(verbs_.check(), IsEmpty());
}

}  // namespace
}  // namespace floodgate::ledger
