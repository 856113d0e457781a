// How fast the gate decides, without journal, network or disk; and what a buyer costs in memory.

#include <benchmark/benchmark.h>

#include <vector>

#include "gate/arbiter.hpp"
#include "gate/embedded_turnstile.hpp"

namespace floodgate::gate {
namespace {

const instant opening = from_ms(1'800'000'000'000);
constexpr std::int64_t buyers = 1'000'000;

sale::sale open_sale(std::int64_t stock) {
    return {.id = {1},
            .price = {990},
            .stock = stock,
            .state = sale::sale_state::published,
            .starts_at = opening,
            .ends_at = opening + milliseconds(60'000)};
}

// A line that keeps nothing: everything is durable at once.
class no_line final : public sale::promise_line {
public:
    sale::sequence append(const sale::promise&) override { return {++last_}; }
    void push() override {}
    sale::sequence durable() const override { return {last_}; }
    std::uint64_t backlog() const override { return 0; }
    void on_durable(std::function<void()>) override {}

private:
    std::uint64_t last_ = 0;
};

// Buyers in an order that is not the order of their ids: the cache gets no help.
sale::user_id buyer(std::int64_t i) { return {1 + (i * 7'919) % buyers}; }

void report_memory(benchmark::State& state, const standing& s) {
    if (s.buyers)
        state.counters["bytes_per_buyer"] =
            static_cast<double>(s.bytes) / static_cast<double>(s.buyers);
}

void accepted(benchmark::State& state) {
    standing last;
    for (auto _ : state) {
        state.PauseTiming();
        auto a = std::make_unique<arbiter>(0);
        (void)a->warm_up(open_sale(buyers)).has_value();
        state.ResumeTiming();
        for (std::int64_t i = 0; i < buyers; ++i) {
            decision d = a->decide({.sale = {1}, .buyer = buyer(i)}, opening, true);
            d.on->put_down(d.promise, {static_cast<std::uint64_t>(i)});
        }
        state.PauseTiming();
        last = a->find({1})->look();
        a.reset();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * buyers);
    report_memory(state, last);
}
BENCHMARK(accepted)->Unit(benchmark::kMillisecond)->Name("gate/accepted");

void sold_out(benchmark::State& state) {
    arbiter a(0);
    (void)a.warm_up(open_sale(0)).has_value();
    std::int64_t i = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(a.decide({.sale = {1}, .buyer = buyer(++i)}, opening, true));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sold_out)->Name("gate/sold_out");

void already_ordered(benchmark::State& state) {
    arbiter a(0);
    (void)a.warm_up(open_sale(buyers)).has_value();
    for (std::int64_t i = 0; i < buyers; ++i) {
        decision d = a.decide({.sale = {1}, .buyer = buyer(i)}, opening, true);
        d.on->put_down(d.promise, {});
    }
    std::int64_t i = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(a.decide({.sale = {1}, .buyer = buyer(++i)}, opening, true));
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(already_ordered)->Name("gate/already_ordered");

// Through the lock and the lane, as the event loop does it: batches of 128.
void through_a_lane(benchmark::State& state) {
    for (auto _ : state) {
        state.PauseTiming();
        no_line line;
        auto turnstile = std::make_unique<embedded_turnstile>(line, embedded_turnstile::options{});
        (void)turnstile->warm_up(open_sale(buyers)).has_value();
        auto way = turnstile->open_lane([] {});
        std::vector<sale::attempt> batch;
        std::vector<sale::verdict> verdicts;
        state.ResumeTiming();
        for (std::int64_t i = 0; i < buyers;) {
            batch.clear();
            verdicts.clear();
            for (int n = 0; n < 128 && i < buyers; ++n, ++i)
                batch.push_back({.sale = {1}, .buyer = buyer(i)});
            way->submit(batch, opening);
            way->collect(verdicts);
            benchmark::DoNotOptimize(verdicts.data());
        }
        state.PauseTiming();
        way.reset();
        turnstile.reset();
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * buyers);
}
BENCHMARK(through_a_lane)->Unit(benchmark::kMillisecond)->Name("gate/through_a_lane");

}  // namespace
}  // namespace floodgate::gate

BENCHMARK_MAIN();
