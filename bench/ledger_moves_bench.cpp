// A payment rush: 64 threads pay, cancel and refund, their moves gathered into few transactions,
// against the same threads with one transaction for each move.
//
// SQLite writes to FLOODGATE_BENCH_DIR; FLOODGATE_TEST_MARIADB=HOST:PORT names the server (root,
// password "floodgate"). What is measured is their disks. One transaction for each move is what
// move_book did before it gathered: on MariaDB as many at a time as the pool has connections (16).

#include <benchmark/benchmark.h>

#include <atomic>
#include <ctime>
#include <stdexcept>
#include <thread>

#include "ledger/move_gatherer.hpp"
#include "ledger_books.hpp"

namespace {

using namespace floodgate;
using namespace floodgate::bench;

constexpr std::size_t threads = 64;
constexpr std::size_t gathered_orders = 24'000, single_orders = 3'000;
constexpr ledger::gathering one_by_one{.moves_max = 1};

void expect_moved(const result<ledger::move_outcome>& m) {
    if (!m.value().moved) throw std::runtime_error("an order did not move");
}

// A third of the orders is cancelled, a third paid, a third paid and then refunded. Gives how many
// moves that was.
std::size_t live(ledger::move_book& moves, const sale::promise& p, std::size_t nth) {
    if (nth % 3 == 0) {
        expect_moved(moves.cancel(p.order, p.buyer, p.at));
        return 1;
    }
    expect_moved(moves.begin_payment(p.order, p.buyer, {"test", {p.unit_price}}, p.at));
    expect_moved(moves.pay(p.order, "test", p.at));
    if (nth % 3 == 1) return 2;
    expect_moved(moves.ask_refund(p.order, p.buyer, {}, p.at));
    expect_moved(moves.finish_refund(p.order, std::to_string(p.order.value) + "R1", p.at));
    return 4;
}

struct rush_figures {
    double per_s = 0;
    double cpu_us = 0;  // of this process, for each move
};

rush_figures rush(ledger::ledger& book, ledger::move_book& moves, std::size_t orders,
                  bool one_sale) {
    add_sales(book, orders, 1);
    auto all = crowd(orders);
    for (std::size_t i = 0; one_sale && i < orders; ++i) {
        all[i].sale = {1};
        all[i].buyer = {static_cast<std::int64_t>(i) + 1};
    }
    enter(book, all);
    std::atomic<std::size_t> next = 0, made = 0;
    const std::clock_t before = std::clock();
    const double took = seconds([&] {
        std::vector<std::jthread> callers;
        for (std::size_t t = 0; t < threads; ++t)
            callers.emplace_back([&] {
                std::size_t mine = 0;
                for (std::size_t i = next++; i < orders; i = next++) mine += live(moves, all[i], i);
                made += mine;
            });
    });
    const auto moves_made = static_cast<double>(made);
    const auto cpu_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    return {moves_made / took, cpu_s / moves_made * 1e6};
}

// Both in turns, so that a slow moment of the disk hits both.
template <class Books>
void compare(benchmark::State& state, const Books& books) {
    const bool one_sale = state.range(0) == 1;
    rush_figures gathered, single;
    const auto add = [](rush_figures& sum, const rush_figures& one) {
        sum.per_s += one.per_s;
        sum.cpu_us += one.cpu_us;
    };
    for (auto _ : state) {
        {
            const auto scratch = books();
            auto book = scratch.open();
            ledger::move_book apart(book.database(), one_by_one);
            add(single, rush(book, apart, single_orders, one_sale));
        }
        const auto scratch = books();
        auto book = scratch.open();
        const auto figures = rush(book, book.moves(), gathered_orders, one_sale);
        add(gathered, figures);
        state.SetIterationTime(static_cast<double>(gathered_orders) / figures.per_s);
    }
    const auto turns = static_cast<double>(state.iterations());
    state.counters["single_per_s"] = single.per_s / turns;
    state.counters["gathered_per_s"] = gathered.per_s / turns;
    state.counters["single_cpu_us"] = single.cpu_us / turns;
    state.counters["gathered_cpu_us"] = gathered.cpu_us / turns;
    state.counters["ratio"] = gathered.per_s / single.per_s;
}

void moves_gathered_against_single(benchmark::State& state) {
    compare(state, [] { return sqlite_scratch(); });
}
BENCHMARK(moves_gathered_against_single)
    ->ArgName("sales")
    ->Arg(1)
    ->Arg(sales)
    ->UseManualTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

void moves_in_mariadb_gathered_against_single(benchmark::State& state) {
    if (server() == nullptr) return state.SkipWithError("FLOODGATE_TEST_MARIADB names no server");
    compare(state, [] { return mariadb_scratch(); });
}
BENCHMARK(moves_in_mariadb_gathered_against_single)
    ->ArgName("sales")
    ->Arg(1)
    ->Arg(sales)
    ->UseManualTime()
    ->Iterations(2)
    ->Unit(benchmark::kMillisecond);

}  // namespace
