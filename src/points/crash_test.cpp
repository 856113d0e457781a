// The book is whole after a conflict, a failure or a crash at any statement, and repeating the
// calls finishes what was begun.

#include <array>
#include <csignal>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>

#include "points/accounts_fixture.hpp"
#include "store/sql/sqlite_database.hpp"
#include "store/sql/tampered_database.hpp"

namespace floodgate::points {
namespace {

using testing::IsEmpty;

template <class T>
bool unavailable(const result<T>& r) {
    return r.has_error() && r.error() == errc::store_unavailable;
}

// All calls that change something, for one user and five orders that belong to `life`. It may be
// cut off and run again: what counts is the balance in the end. Gives how many calls were told that
// the outcome is unknown.
int live(
    accounts& port, std::int64_t life, const std::function<void()>& after_each = [] {}) {
    account_verbs verbs(port);
    const std::uint64_t order = static_cast<std::uint64_t>(life) * 10;
    const std::string key = std::to_string(life);
    const std::array<std::function<bool()>, 12> calls{
        [&] { return unavailable(verbs.grant(life, 100, key)); },
        [&] { return unavailable(verbs.spend(order + 1, life, 30)); },
        [&] { return unavailable(verbs.confirm(order + 1)); },
        [&] { return unavailable(verbs.give_back(order + 1, life, 10, "r")); },
        [&] { return unavailable(verbs.spend(order + 2, life, 20)); },
        [&] { return unavailable(verbs.cancel(order + 2)); },
        [&] { return unavailable(verbs.cancel(order + 3)); },
        [&] { return unavailable(verbs.earn(order + 4, life, 5)); },
        [&] { return unavailable(verbs.confirm(order + 4, kind::earn)); },
        [&] { return unavailable(verbs.earn(order + 5, life, 7)); },
        [&] { return unavailable(verbs.cancel(order + 5, kind::earn)); },
        [&] { return unavailable(verbs.grant(life, -1, key + "-")); },
    };
    int unknown = 0;
    for (const auto& call : calls) {
        if (call()) ++unknown;
        after_each();
    }
    return unknown;
}
const balance after_a_life{{100 - 30 + 10 + 5 - 1}, {0}, {0}};

class AccountFailureContractTest : public testing::TestWithParam<store::database_kind> {
protected:
    // Lives on, each time with a failure one statement later, until a life has no more statements.
    // After each, `judge(life, calls of unknown outcome)`.
    template <class Judge>
    void fail_at_every_statement(store::sql_failure kind, Judge judge) {
        auto real = GetParam().open(directory_);
        const auto how = std::make_shared<store::tampering>();
        how->dialect = real->speaks();
        const auto db = store::tamper(std::move(real), how);
        account_book book(*db);
        int at = 0;
        for (bool through = false; !through;) {
            int countdown = ++at;
            how->before = [&] {
                if (--countdown == 0) throw store::sql_error(kind, "as told");
            };
            const int unknown = live(book, at);
            how->before = nullptr;
            through = countdown > 0;
            judge(book, at, unknown);
            ASSERT_EQ(book.balance_of({at}).value(), after_a_life) << at;
        }
        EXPECT_GT(at, 12 * 5) << "so many statements failed";
        EXPECT_THAT(book.check().value(), IsEmpty());
    }

private:
    store::scratch_directory directory_;
};
INSTANTIATE_TEST_SUITE_P(Over, AccountFailureContractTest,
                         testing::ValuesIn(store::test_databases()), store::name_of);

TEST_P(AccountFailureContractTest, AConflictAtAnyStatementLeavesNoTrace) {
    fail_at_every_statement(store::sql_failure::conflict,
                            [](account_book&, int, int unknown) { EXPECT_EQ(unknown, 0); });
}

TEST_P(AccountFailureContractTest, AFailureAtAnyStatementIsToldAndRepeatingFinishesIt) {
    int told = 0, lives = 0;
    fail_at_every_statement(store::sql_failure::other,
                            [&](account_book& book, int life, int unknown) {
                                ASSERT_THAT(book.check().value(), IsEmpty()) << life;
                                told += unknown;
                                ++lives;
                                live(book, life);
                            });
    EXPECT_EQ(told, lives - 1) << "every life but the last had one";
}

std::unique_ptr<store::database> open(const store::scratch_directory& directory) {
    return store::open_sqlite({.path = directory.file("points.db")});
}

void make_tables(const store::scratch_directory& directory) {
    const auto db = open(directory);
    const account_book made(*db);
}

// Never returns. The child must not run the parent's destructors, hence the signal.
[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    ::pause();
    std::abort();
}

// Ends with code 0 when the life has fewer statements.
[[noreturn]] void live_and_die_at(const store::scratch_directory& directory, std::int64_t life,
                                  int statement) {
    const auto how =
        std::make_shared<store::tampering>(store::tampering{{}, {}, store::sqlite_dialect});
    const auto db = store::tamper(open(directory), how);
    account_book book(*db);
    how->before = [&statement] {
        if (--statement == 0) die();
    };
    live(book, life);
    ::_exit(0);
}

TEST(AccountCrashTest, KilledAtAnyStatementTheBookIsWholeAndRepeatingFinishesIt) {
    const store::scratch_directory directory;
    make_tables(directory);
    int at = 0;
    for (bool through = false; !through;) {
        ++at;
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) live_and_die_at(directory, at, at);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        through = WIFEXITED(status);

        const auto db = open(directory);
        account_book book(*db);
        ASSERT_THAT(book.check().value(), IsEmpty()) << at;
        live(book, at);
        ASSERT_EQ(book.balance_of({at}).value(), after_a_life) << at;
    }
    EXPECT_GT(at, 12 * 5) << "statements were died at";
    const auto db = open(directory);
    account_book book(*db);
    EXPECT_THAT(book.check().value(), IsEmpty());
    for (const kind k : {kind::spend, kind::earn})
        EXPECT_THAT(book.open_tries(k, never, 10).value(), IsEmpty());
}

// Tells every finished call through the pipe.
[[noreturn]] void live_for_ever(const store::scratch_directory& directory, std::int64_t life,
                                int pipe) {
    const auto db = open(directory);
    account_book book(*db);
    for (;; ++life)
        live(book, life, [&] {
            if (::write(pipe, ".", 1) != 1) die();
        });
}

TEST(AccountCrashTest, KilledAtAnyTimeTheBookIsWholeAndNothingFinishedIsLost) {
    const store::scratch_directory directory;
    make_tables(directory);
    std::int64_t life = 1;
    for (const int calls : {1, 17, 40, 58, 99}) {
        std::array<int, 2> ends{};
        ASSERT_EQ(::pipe(ends.data()), 0);
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) live_for_ever(directory, life, ends[1]);
        char told = 0;
        for (int i = 0; i < calls; ++i) ASSERT_EQ(::read(ends[0], &told, 1), 1);
        ASSERT_EQ(::kill(child, SIGKILL), 0);
        ASSERT_EQ(::waitpid(child, nullptr, 0), child);
        ::close(ends[0]);
        ::close(ends[1]);

        const auto db = open(directory);
        account_book book(*db);
        ASSERT_THAT(book.check().value(), IsEmpty());
        for (std::int64_t finished = calls / 12; finished > 0; --finished)
            EXPECT_EQ(book.balance_of({life++}).value(), after_a_life);
        live(book, life);
        EXPECT_EQ(book.balance_of({life}).value(), after_a_life);
        life += 1000;  // the child may have begun some more
    }
}

}  // namespace
}  // namespace floodgate::points
