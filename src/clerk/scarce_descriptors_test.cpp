// H2 of the security review: idle connections used up the file descriptors, orders were no longer
// entered, and the next segment of the journal ended the process.

#include "store/files/scarce_descriptors.hpp"

#include <gtest/gtest.h>

#include "clerk/desk.hpp"
#include "clerk/ledger_sink.hpp"
#include "clerk/stand_ins.hpp"
#include "journal/journal.hpp"
#include "ledger/ledger_fixture.hpp"
#include "store/files/posix_files.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::clerk {
namespace {

class ScarceDescriptorsTest : public testing::Test {
protected:
    static constexpr std::uint64_t segment_bytes = 1024;  // a dozen promises
    static constexpr std::uint64_t promises = 200;

    void append(std::uint64_t count) {
        for (; count > 0; --count) {
            journal_.append(verbs_.promise(sale_, ++buyers_));
            journal_.push();
            while (journal_.durable() < journal_.appended()) std::this_thread::yield();
        }
    }
    // Enters everything in the line, as the clerk does.
    void enter_all() {
        for (outcome o = outcome::part; o != outcome::nothing; o = desk_.step())
            ASSERT_NE(o, outcome::failed) << desk_.failure();
    }

    ledger::scratch_directory directory_;
    store::posix_files files_;
    ledger::book_verbs verbs_{store::open_sqlite({.path = directory_.file("ledger.db")})};
    sale::sale_id sale_ = verbs_.add_sale({.stock = 100'000});
    journal::journal journal_{files_, {directory_.file("journal"), segment_bytes}, {0}};
    manual_clock clock_{ledger::noon};
    ledger_sink sink_{verbs_.book(), sale::journal_line, clock_};
    memory_gate gate_;
    shop::silent_node node_;
    desk desk_{{journal_, sink_, gate_, clock_, node_}, {.batch_max = 10}, {0}};
    std::int64_t buyers_ = 0;
};

TEST_F(ScarceDescriptorsTest, TheLineGoesOnAndIsEnteredWithoutOneMore) {
    std::string failure;
    {
        const store::scarce_descriptors none_left;
        journal_.start([&](const std::string& why) { failure = why; });
        append(promises);
        EXPECT_GT(journal_.read_figures().segments, 10U);
        enter_all();
        append(promises);
        enter_all();
        EXPECT_EQ(verbs_.held(sale_), static_cast<std::int64_t>(2 * promises));
        journal_.stop();
    }
    EXPECT_EQ(failure, "");
    EXPECT_EQ(verbs_.check(), ledger::findings{});
}

}  // namespace
}  // namespace floodgate::clerk
