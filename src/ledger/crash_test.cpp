// A process that is killed at any moment leaves whole batches only, each with its position.

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "ledger/ledger_fixture.hpp"
#include "ledger/tampered_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

constexpr std::int64_t batch_size = 8;

// Batches are a function of the position alone, so that the process after a crash makes the same
// ones.
std::vector<sale::promise> batch_after(sale::sequence position, std::int64_t size) {
    std::vector<sale::promise> batch;
    for (std::int64_t i = 1; i <= size; ++i) {
        const auto place = static_cast<std::int64_t>(position.value) + i;
        sale::promise p;
        p.order = {static_cast<std::uint64_t>(place)};
        p.sale = {1 + place % 2};
        p.buyer = {place};
        p.at = noon;
        batch.push_back(p);
    }
    return batch;
}

std::unique_ptr<store::database> open(const scratch_directory& directory) {
    return store::open_sqlite({.path = directory.file("ledger.db")});
}

// Never returns. The child must not run the parent's destructors, hence the signal.
[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    ::pause();
    std::abort();
}

void enter_and_die_at(const scratch_directory& directory, int statement) {
    auto how = std::make_shared<tampering>(tampering{{}, {}, store::sqlite_dialect});
    ledger book(tamper(open(directory), how));
    const auto position = book.orders().position().value();
    how->before = [&statement] {
        if (--statement == 0) die();
    };
    const sale::sequence last{position.value + batch_size};
    (void)book.orders().enter(batch_after(position, batch_size), last);
}

void expect_whole_batches(const scratch_directory& directory, std::uint64_t size) {
    book_verbs verbs(open(directory));
    const auto position = static_cast<std::int64_t>(verbs.entered().value);
    EXPECT_EQ(verbs.entered().value % size, 0U);
    EXPECT_EQ(verbs.number("SELECT COUNT(*) FROM orders WHERE state = 'unpaid'"), position);
    EXPECT_EQ(verbs.number("SELECT SUM(held) FROM sales"), position);
    EXPECT_THAT(verbs.check(), IsEmpty());
}

void prepare(const scratch_directory& directory) {
    book_verbs verbs(open(directory));
    verbs.add_sale({.stock = 1'000'000});
    verbs.add_sale({.stock = 1'000'000});
}

TEST(LedgerCrashTest, KilledAtAnyStatementOfABatchItHoldsAllOrNothing) {
    const scratch_directory directory;
    prepare(directory);
    int at = 0;
    while (book_verbs(open(directory)).entered().value == 0) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        ++at;
        if (child == 0) {
            enter_and_die_at(directory, at);
            die();
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFSIGNALED(status));
        expect_whole_batches(directory, batch_size);
    }
    // All died that were told to die at or before COMMIT.
    EXPECT_EQ(at, 2 + 2 * 2 + batch_size + 2 + 1 + 2 + 1);
}

[[noreturn]] void enter_for_ever(const scratch_directory& directory) {
    ledger book(open(directory));
    for (;;) {
        const auto position = book.orders().position().value();
        (void)book.orders().enter(batch_after(position, 2000),
                                  sale::sequence{position.value + 2000});
    }
}

TEST(LedgerCrashTest, KilledAtAnyTimeItHoldsWholeBatchesAndGoesOn) {
    const scratch_directory directory;
    prepare(directory);
    for (const int wait_ms : {40, 55, 73, 91, 120, 160}) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) enter_for_ever(directory);
        std::this_thread::sleep_for(milliseconds(wait_ms));
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        ASSERT_EQ(::waitpid(child, nullptr, 0), child);
        expect_whole_batches(directory, 2000);
    }
}

}  // namespace
}  // namespace floodgate::ledger
