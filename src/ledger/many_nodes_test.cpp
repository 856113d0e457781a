// Several nodes with one MariaDB: everything at once, and starting together.

#include <algorithm>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "ledger/ledger_fixture.hpp"
#include "ledger/migrations.hpp"
#include "ledger/tampered_database.hpp"
#include "sale/partition.hpp"
#include "store/sql/mariadb_scratch.hpp"

namespace floodgate::ledger {
namespace {

using store::mariadb_scratch;
using testing::IsEmpty;

class ManyNodesTest : public testing::Test {
protected:
    void SetUp() override {
        if (!store::test_server()) GTEST_SKIP() << "FLOODGATE_TEST_MARIADB names no server";
        scratch_.emplace();
    }
    // With a database cluster, each node of Floodgate asks another database node first.
    std::unique_ptr<store::database> open(std::size_t node = 0) const {
        store::mariadb_options options = scratch_->options();
        const auto first = node % options.addresses.size();
        auto& all = options.addresses;
        std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
        return store::open_mariadb(options);
    }
    static std::int64_t number(store::database& db, std::string_view sql) {
        const auto c = db.reader();
        auto rows = c->ask(sql);
        return rows.next() ? rows.get<std::int64_t>(0) : -1;
    }
    // Every column and index, in words.
    static std::string schema(store::database& db) {
        std::string all;
        const auto c = db.reader();
        for (const char* sql :
             {"SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, "
              "column_key, collation_name) FROM information_schema.columns WHERE table_schema = "
              "DATABASE() ORDER BY table_name, ordinal_position",
              "SELECT CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name, "
              "non_unique) FROM information_schema.statistics WHERE table_schema = DATABASE() "
              "ORDER BY table_name, index_name, seq_in_index"}) {
            auto rows = c->ask(sql);
            while (rows.next()) all += rows.get<std::string>(0) + "\n";
        }
        return all;
    }

    std::optional<mariadb_scratch> scratch_;
};

// A call may succeed or be refused by a rule; an error of the store fails the test.
template <class T>
void expect_sound(const result<T>& r) {
    if (r.has_error()) {
        EXPECT_TRUE(r.error() == errc::conflict || r.error() == errc::not_found) << r.error();
    }
}

TEST_F(ManyNodesTest, EverybodyAtOnceLeavesABookThatAddsUp) {
    constexpr std::int64_t stock = 60, rounds = 12, crowd = 20;
    constexpr int nodes = 4;
    book_verbs verbs(open());
    const auto one = verbs.add_sale({.stock = stock}),
               many = verbs.add_sale({.stock = stock, .limit = 3});
    std::vector<std::unique_ptr<ledger>> books;
    for (std::size_t i = 0; i < nodes; ++i) books.push_back(std::make_unique<ledger>(open(i)));

    // All nodes get the same promises in lines of their own, as strays, and move the same orders.
    const auto promise = [&](std::int64_t round, std::int64_t i) {
        sale::promise p;
        p.order = {static_cast<std::uint64_t>(round * crowd + i + 1)};
        p.sale = i % 2 == 0 ? one : many;
        p.buyer = {i % 7 + 1 + round};
        p.quantity = 1;
        p.at = noon;
        return p;
    };
    const auto work = [&](int node) {
        ledger& book = *books[static_cast<std::size_t>(node)];
        const sale::line_id line = sale::line_of({static_cast<std::uint32_t>(node)});
        for (std::int64_t round = 0; round < rounds; ++round) {
            std::vector<sale::promise> batch;
            for (std::int64_t i = 0; i < crowd; ++i) batch.push_back(promise(round, i));
            if (node % 2 == 0) {
                const sale::sequence last{static_cast<std::uint64_t>(round) + 1};
                expect_sound(book.orders().enter(batch, {last, line}, noon));
            } else {
                expect_sound(book.orders().enter_strays(batch, noon));
            }
            for (const auto& p : batch) {
                const auto lot = (p.order.value * 7 + static_cast<std::uint64_t>(node)) % 5;
                if (lot == 0) expect_sound(book.moves().cancel(p.order, p.buyer, noon));
                if (lot == 1)
                    expect_sound(book.moves().begin_payment(p.order, p.buyer, {"t", {}}, noon));
                if (lot == 2) expect_sound(book.moves().pay(p.order, "t", noon));
                if (lot == 3) expect_sound(book.moves().ask_refund(p.order, p.buyer, {}, noon));
            }
            expect_sound(book.moves().close_due(noon + std::chrono::hours(round % 3), 5));
            expect_sound(book.catalogue().change_stock(node % 2 == 0 ? one : many,
                                                       round % 2 == 0 ? 3 : -3, "", noon));
            expect_sound(book.tallies().repair(one, "nothing to do", noon));
        }
    };
    {
        std::vector<std::jthread> threads;
        threads.reserve(nodes);
        for (int i = 0; i < nodes; ++i) threads.emplace_back(work, i);
    }
    EXPECT_THAT(verbs.check(), IsEmpty());
    EXPECT_EQ(verbs.number("SELECT COUNT(*) FROM stock_log WHERE kind = 'repaired'"), 0);
    EXPECT_EQ(verbs.number("SELECT COUNT(*) FROM orders"), rounds * crowd);
}

// If not all of a batch fits, each promise is checked alone, and no other node may check meanwhile.
TEST_F(ManyNodesTest, TheLastUnitsAndTheLimitsAreKeptByAllNodesTogether) {
    constexpr int nodes = 4, rounds = 25, batch_size = 4, buyers = 3;
    book_verbs verbs(open());
    const auto sale = verbs.add_sale({.stock = 5, .limit = 2});
    std::vector<std::unique_ptr<ledger>> books;
    for (std::size_t i = 0; i < nodes; ++i) books.push_back(std::make_unique<ledger>(open(i)));
    const auto work = [&](int node) {
        ledger& book = *books[static_cast<std::size_t>(node)];
        for (int round = 0; round < rounds; ++round) {
            std::vector<sale::promise> batch(batch_size);
            for (int i = 0; i < batch_size; ++i) {
                sale::promise& p = batch[static_cast<std::size_t>(i)];
                p.order = {static_cast<std::uint64_t>((round * nodes + node) * batch_size + i + 1)};
                p.sale = sale;
                p.buyer = {(i + round) % buyers + 1};
                p.at = noon;
            }
            expect_sound(book.orders().enter_strays(batch, noon));
            for (const auto& p : batch) expect_sound(book.moves().cancel(p.order, p.buyer, noon));
        }
    };
    {
        std::vector<std::jthread> threads;
        threads.reserve(nodes);
        for (int i = 0; i < nodes; ++i) threads.emplace_back(work, i);
    }
    EXPECT_THAT(verbs.check(), IsEmpty());
    EXPECT_EQ(verbs.held(sale), 0);
    EXPECT_EQ(verbs.number("SELECT COUNT(*) FROM orders"), nodes * rounds * batch_size);
    EXPECT_LE(verbs.number("SELECT MAX(held_after) FROM stock_log"), 5);
}

// Nothing is cancelled here, so a limit that was exceeded even for a moment would leave a trace.
TEST_F(ManyNodesTest, ABuyerIsHeldToTheLimitByAllNodesTogether) {
    constexpr std::size_t nodes = 4;
    book_verbs verbs(open());
    std::vector<std::unique_ptr<ledger>> books;
    for (std::size_t i = 0; i < nodes; ++i) books.push_back(std::make_unique<ledger>(open(i)));
    for (int round = 0; round < 20; ++round) {
        const auto sale = verbs.add_sale({.stock = 3, .limit = 2});  // four at once do not fit
        std::vector<std::vector<sale::promise>> batches(nodes);
        for (auto& batch : batches)
            for (int i = 0; i < 4; ++i) batch.push_back(verbs.promise(sale, 1));
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < nodes; ++i)
            threads.emplace_back([&, i] {
                const sale::sequence last{static_cast<std::uint64_t>(round) + 1};
                const sale::line_id line = sale::line_of({static_cast<std::uint32_t>(i)});
                expect_sound(books[i]->orders().enter(batches[i], {last, line}));
            });
        threads.clear();
        ASSERT_EQ(verbs.held(sale), 2);
    }
    EXPECT_THAT(verbs.check(), IsEmpty());
}

TEST_F(ManyNodesTest, NodesThatStartTogetherMakeOneSchema) {
    std::atomic<std::size_t> ran = 0;
    {
        std::vector<std::jthread> nodes;
        nodes.reserve(4);
        for (std::size_t i = 0; i < 4; ++i)
            nodes.emplace_back([&, i] { ran += migrate(*open(i)); });
    }
    EXPECT_GE(ran, migrations().size());
    if (scratch_->options().addresses.size() == 1) {
        EXPECT_EQ(ran, migrations().size()) << "each step was run by one of them";
    }
    EXPECT_THAT(book_verbs(open()).check(), IsEmpty());
}

// As on a Galera cluster, where a lock taken on one node does not hold on another.
TEST_F(ManyNodesTest, EvenWithoutALockTheyMakeOneSchema) {
    std::string alone;
    {
        const mariadb_scratch other;
        const auto db = store::open_mariadb(other.options());
        migrate(*db);
        alone = schema(*db);
    }
    {
        std::vector<std::jthread> nodes;
        nodes.reserve(4);
        for (int i = 0; i < 3; ++i)
            nodes.emplace_back([&] {  // a tampered database has no lock
                migrate(*tamper(
                    open(), std::make_shared<tampering>(tampering{{}, {}, store::mysql_dialect})));
            });
    }
    EXPECT_EQ(schema(*open()), alone);
    EXPECT_EQ(number(*open(), "SELECT COUNT(*) FROM schema_version"), 1);
    EXPECT_EQ(number(*open(), "SELECT version FROM schema_version"),
              static_cast<std::int64_t>(migrations().size()));
}

// Never returns.
[[noreturn]] void migrate_and_die_at(const store::mariadb_options& options, int statement) {
    auto how = std::make_shared<tampering>(tampering{{}, {}, store::mysql_dialect});
    const auto die = [] {
        ::kill(::getpid(), SIGKILL);
        ::pause();
    };
    how->after = [&](std::string_view) {
        if (--statement == 0) die();
    };
    migrate(*tamper(store::open_mariadb(options), how));
    die();
    std::abort();
}

TEST_F(ManyNodesTest, KilledAfterAnyStatementOfAMigrationTheNextStartGoesOn) {
    const auto newest = static_cast<std::int64_t>(migrations().size());
    int lives = 0;
    for (std::int64_t version = 0; version < newest; ++lives) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) migrate_and_die_at(scratch_->options(), lives + 1);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFSIGNALED(status));
        try {
            version = number(*open(), "SELECT MAX(version) FROM schema_version");
        } catch (const store::sql_error&) {
            version = 0;  // it died before the table was there
        }
    }
    EXPECT_GT(lives, 10);
    const mariadb_scratch other;
    const auto untroubled = store::open_mariadb(other.options());
    migrate(*untroubled);
    EXPECT_EQ(schema(*open()), schema(*untroubled));
    EXPECT_EQ(number(*open(), "SELECT COUNT(*) FROM journal_position"), 1);
    EXPECT_THAT(book_verbs(open()).check(), IsEmpty());
}

TEST_F(ManyNodesTest, AStatementThatWasDoneIsNotDoneAgain) {
    const auto db = open();
    std::vector<std::string_view> statements{"CREATE TABLE once (n BIGINT)",
                                             "INSERT INTO once (n) VALUES (1)",
                                             "CREATE TABLE nonsense ("};
    const std::vector<migration> steps{{1, statements}};
    EXPECT_THROW(migrate(*db, steps), store::sql_error);
    statements.back() = "CREATE TABLE sense (n BIGINT)";
    const std::vector<migration> mended{{1, statements}};
    EXPECT_EQ(migrate(*db, mended), 1U);
    EXPECT_EQ(number(*db, "SELECT COUNT(*) FROM once"), 1);
}

TEST_F(ManyNodesTest, ADatabaseOfSomebodyElseIsLeftAlone) {
    const auto db = open();
    db->writer()->execute("CREATE TABLE users (id BIGINT)");
    EXPECT_THROW(migrate(*db), std::runtime_error);
    EXPECT_EQ(number(*db,
                     "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = "
                     "DATABASE()"),
              1);
}

TEST_F(ManyNodesTest, ManyUsersAreAddedInFewSeconds) {
    constexpr std::int64_t count = 20'000;
    ledger book(open());
    std::vector<sale::user> users;
    std::vector<sale::login> logins;
    for (std::int64_t i = 1; i <= count; ++i) {
        users.push_back(
            {{i}, std::to_string(13'000'000'000 + i), "n", "h", sale::role::buyer, noon});
        sale::login l{{}, {i}, sale::role::buyer, noon + std::chrono::hours(1)};
        std::memcpy(l.hash.data(), &i, sizeof i);
        logins.push_back(l);
    }
    EXPECT_EQ(outcome(book.users().add_many(users, logins)), fine);
    std::int64_t seen = 0;
    EXPECT_EQ(outcome(book.users().for_each_login(noon, [&](const auto&) { ++seen; })), fine);
    EXPECT_EQ(seen, count);
}

}  // namespace
}  // namespace floodgate::ledger
