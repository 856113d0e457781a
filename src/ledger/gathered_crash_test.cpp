// A process that is killed while many moves share transactions has lost none that it reported.

#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "ledger/ledger_fixture.hpp"
#include "store/sql/mariadb_scratch.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;

using opener = std::function<std::unique_ptr<store::database>()>;

constexpr std::size_t moving_threads = 12;

// Cancels every order, from many threads, and writes the number of each that it was told is closed.
// Never returns.
[[noreturn]] void cancel_and_report(const opener& open, const std::vector<sale::promise>& orders,
                                    int report) {
    ledger book(open());
    std::vector<std::thread> threads;
    threads.reserve(moving_threads);
    for (std::size_t t = 0; t < moving_threads; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < orders.size(); i += moving_threads) {
                const sale::promise& p = orders[i];
                const auto told = book.moves().cancel(p.order, p.buyer, p.at);
                if (!told || !told->moved) continue;
                if (::write(report, &p.order.value, sizeof p.order.value) < 0) return;
            }
        });
    for (std::thread& t : threads) t.join();
    ::_exit(0);
}

// What the child reported: all of it until it is killed, after `enough` reports.
std::vector<sale::order_no> reports_until_killed(int from, pid_t child, std::size_t enough) {
    std::vector<sale::order_no> all;
    sale::order_no no;
    while (::read(from, &no.value, sizeof no.value) == static_cast<ssize_t>(sizeof no.value)) {
        all.push_back(no);
        if (all.size() == enough) ::kill(child, SIGKILL);
    }
    return all;
}

void kill_after(std::size_t enough, const opener& open) {
    std::vector<sale::promise> orders;
    sale::sale_id sale;
    {
        book_verbs verbs(open());
        sale = verbs.add_sale({.stock = 1000});
        for (std::int64_t buyer = 1; buyer <= 600; ++buyer)
            orders.push_back(verbs.promise(sale, buyer));
        verbs.enter(orders);
    }
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) cancel_and_report(open, orders, pipe[1]);
    ::close(pipe[1]);
    const auto told = reports_until_killed(pipe[0], child, enough);
    ::close(pipe[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it was killed in the middle";

    book_verbs verbs(open());
    EXPECT_GE(told.size(), enough);
    for (const sale::order_no no : told) {
        const auto order = verbs.book().orders().find(no).value();
        EXPECT_EQ(order.state, sale::order_state::closed) << "order " << no.value;
    }
    const auto closed = verbs.number("SELECT COUNT(*) FROM orders WHERE state = 'closed'");
    EXPECT_EQ(verbs.number("SELECT COUNT(*) FROM order_events"), closed);
    EXPECT_THAT(verbs.check(), IsEmpty());
}

TEST(GatheredCrashTest, KilledAtAnyTimeSqliteHoldsEveryMoveThatWasReported) {
    for (const std::size_t enough : {1U, 7U, 40U, 150U, 300U}) {
        const scratch_directory directory;
        kill_after(enough, [&] { return store::open_sqlite({.path = directory.file("l.db")}); });
    }
}

TEST(GatheredCrashTest, KilledAtAnyTimeMariaDbHoldsEveryMoveThatWasReported) {
    if (!store::test_server()) GTEST_SKIP() << "FLOODGATE_TEST_MARIADB names no server";
    for (const std::size_t enough : {1U, 40U, 150U}) {
        const store::mariadb_scratch scratch;
        kill_after(enough, [&] { return store::open_mariadb(scratch.options()); });
    }
}

}  // namespace
}  // namespace floodgate::ledger
