// How fast the ledger books: order_book::enter against a bulk insert of the same rows written by
// hand over the C API (same tables, indexes, pragmas and batch transactions), and the bulk reads
// that stand between a restart and the first sale.
//
// Links: floodgate_ledger, benchmark::benchmark (it has its own main). Writes to the directory in
// FLOODGATE_BENCH_DIR, or to the temporary directory: what is measured is that disk.

#include <benchmark/benchmark.h>

#include <sqlite3.h>

#include <random>
#include <stdexcept>

#include "base/log.hpp"
#include "ledger_books.hpp"

namespace {

using namespace floodgate;
using namespace floodgate::bench;

void must(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE) throw std::runtime_error(sqlite3_errstr(code));
}

void bind_by_hand(sqlite3_stmt* s, const sale::promise& p) {
    must(sqlite3_bind_int64(s, 1, static_cast<std::int64_t>(p.order.value)));
    must(sqlite3_bind_int64(s, 2, p.sale.value));
    must(sqlite3_bind_int64(s, 3, p.buyer.value));
    must(sqlite3_bind_int64(s, 4, p.quantity));
    must(sqlite3_bind_int64(s, 5, p.unit_price.value * p.quantity));
    must(sqlite3_bind_int64(s, 6, p.unit_points.value * p.quantity));
    must(sqlite3_bind_text(s, 7, "unpaid", 6, SQLITE_STATIC));
    must(sqlite3_bind_text(s, 8, "", 0, SQLITE_STATIC));
    must(sqlite3_bind_int64(s, 9, to_ms(p.at)));
    must(sqlite3_bind_int64(s, 10, to_ms(p.at) + 900'000));
    if (p.key == sale::no_key) {
        must(sqlite3_bind_null(s, 11));
    } else {
        must(sqlite3_bind_blob(s, 11, p.key.data(), 16, SQLITE_STATIC));
    }
    must(sqlite3_bind_int64(s, 12, 0));
}

void insert_by_hand(const std::string& path, std::span<const sale::promise> all) {
    sqlite3* db = nullptr;
    must(sqlite3_open(path.c_str(), &db));
    const auto run = [&](const char* sql) {
        must(sqlite3_exec(db, sql, nullptr, nullptr, nullptr));
    };
    run("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;"
        "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384");
    sqlite3_stmt* insert = nullptr;
    must(sqlite3_prepare_v2(db, "INSERT INTO orders VALUES (?,?,?,?,?,?,?,?,?,?,?,?,0)", -1,
                            &insert, nullptr));
    for (; !all.empty(); all = all.subspan(std::min(batch_size, all.size()))) {
        run("BEGIN IMMEDIATE");
        for (const sale::promise& p : all.first(std::min(batch_size, all.size()))) {
            bind_by_hand(insert, p);
            must(sqlite3_step(insert));
            must(sqlite3_reset(insert));
        }
        run("COMMIT");
    }
    sqlite3_finalize(insert);
    sqlite3_close(db);
}

double time_by_hand(std::span<const sale::promise> all, std::uint32_t limit) {
    const sqlite_scratch dir;
    {
        auto book = dir.open();
        add_sales(book, all.size(), limit);
    }
    return seconds([&] { insert_by_hand(dir.file(), all); });
}

double time_enter(std::span<const sale::promise> all, std::uint32_t limit) {
    const sqlite_scratch dir;
    {
        auto book = dir.open();
        add_sales(book, all.size(), limit);
    }
    return seconds([&] {  // as by hand: with opening and the last checkpoint, at closing
        auto book = dir.open();
        enter(book, all);
    });
}

// Both in turns, so that a slow moment of the disk hits both. Arguments: rows, limit per buyer.
void enter_against_hand_written(benchmark::State& state) {
    const auto all = crowd(static_cast<std::size_t>(state.range(0)));
    const auto limit = static_cast<std::uint32_t>(state.range(1));
    double by_hand = 0, by_ledger = 0;
    for (auto _ : state) {
        by_hand += time_by_hand(all, limit);
        const double one = time_enter(all, limit);
        by_ledger += one;
        state.SetIterationTime(one);
    }
    const auto rows = static_cast<double>(all.size()) * static_cast<double>(state.iterations());
    state.counters["hand_per_s"] = rows / by_hand;
    state.counters["enter_per_s"] = rows / by_ledger;
    state.counters["ratio"] = by_hand / by_ledger;
}
BENCHMARK(enter_against_hand_written)
    ->Args({200'000, 1})
    ->Args({1'000'000, 1})
    ->Args({200'000, 5})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

void for_each_held(benchmark::State& state) {
    const sqlite_scratch dir;
    auto book = dir.open();
    const auto all = crowd(static_cast<std::size_t>(state.range(0)));
    add_sales(book, all.size(), 1);
    enter(book, all);
    for (auto _ : state) {
        std::size_t seen = 0;
        book.orders().for_each_held([&](const ledger::held_order&) { ++seen; }).value();
        if (seen != all.size()) state.SkipWithError("not all were seen");
    }
}
BENCHMARK(for_each_held)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void check(benchmark::State& state) {
    const sqlite_scratch dir;
    auto book = dir.open();
    const auto all = crowd(static_cast<std::size_t>(state.range(0)));
    add_sales(book, all.size(), 1);
    enter(book, all);
    for (auto _ : state)
        if (!book.orders().check().value().empty()) state.SkipWithError("something is wrong");
}
BENCHMARK(check)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void users_and_logins(std::size_t size, std::vector<sale::user>& users,
                      std::vector<sale::login>& logins) {
    std::mt19937_64 random(7);
    for (std::size_t i = 1; i <= size; ++i) {
        const sale::user_id id{static_cast<std::int64_t>(i)};
        users.push_back({id, std::to_string(13'000'000'000 + i), "buyer", std::string(97, 'x'),
                         sale::role::buyer, start});
        sale::login l{{}, id, sale::role::buyer, start + std::chrono::hours(24)};
        for (std::byte& b : l.hash) b = static_cast<std::byte>(random());
        logins.push_back(l);
    }
}

// Arguments: users. The counter read_s: for_each_login over all of them.
void add_many_and_read_logins(benchmark::State& state) {
    std::vector<sale::user> users;
    std::vector<sale::login> logins;
    users_and_logins(static_cast<std::size_t>(state.range(0)), users, logins);
    double reading = 0;
    for (auto _ : state) {
        const sqlite_scratch dir;
        auto book = dir.open();
        state.SetIterationTime(seconds([&] { book.users().add_many(users, logins).value(); }));
        std::size_t seen = 0;
        reading += seconds([&] {
            book.users().for_each_login(start, [&](const sale::login&) { ++seen; }).value();
        });
        if (seen != logins.size()) state.SkipWithError("not all were seen");
    }
    state.counters["read_s"] = reading / static_cast<double>(state.iterations());
}
BENCHMARK(add_many_and_read_logins)
    ->Arg(1'000'000)
    ->UseManualTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    log::start(log::level::warning);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    log::stop();
}
