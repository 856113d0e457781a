// How fast the gate decides, without journal, network or disk; and what a buyer costs in memory.
// With FLOODGATE_TEST_REDIS=HOST:PORT also through Redis, against a script for each purchase.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <poll.h>
#include <unistd.h>
#include <vector>

#include "gate/arbiter.hpp"
#include "gate/embedded_turnstile.hpp"
#include "gate/redis_turnstile.hpp"
#include "store/redis/async_redis.hpp"

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

// Buyers come in another order than that of their ids, so that the cache does not help.
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
            const decision d = a->decide({.sale = {1}, .buyer = buyer(i)}, opening, true);
            a->put_down(d, {static_cast<std::uint64_t>(i)});
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
        const decision d = a.decide({.sale = {1}, .buyer = buyer(i)}, opening, true);
        a.put_down(d, {});
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

constexpr std::int64_t redis_purchases = 50'000;

const char* redis_address() {
    return std::getenv("FLOODGATE_TEST_REDIS");  // NOLINT(concurrency-mt-unsafe)
}

store::redis_options redis_there() {
    store::redis_options options;
    options.addresses = {redis_address()};
    return options;
}

// What Redis itself spent on a script, by its own count.
double script_microseconds(store::redis& redis) {
    const auto info = redis.ask("", {"INFO", "commandstats"});
    const std::size_t at = info ? info->text.find("cmdstat_evalsha:") : std::string::npos;
    if (at == std::string::npos) return 0;
    return std::atof(info->text.c_str() + info->text.find("usec=", at) + 5);
}

void wait_for(int fd) {
    pollfd watched{fd, POLLIN, 0};
    (void)::poll(&watched, 1, 1000);
}

void report_redis(benchmark::State& state, double microseconds) {
    state.SetItemsProcessed(state.iterations() * redis_purchases);
    state.counters["redis_us_each"] =
        microseconds / static_cast<double>(state.iterations() * redis_purchases);
}

// A fixed number of attempts is under way at all times, through one lane.
void through_redis(benchmark::State& state) {
    if (redis_address() == nullptr) return state.SkipWithError("FLOODGATE_TEST_REDIS is not set");
    store::redis redis(redis_there());
    double spent = 0;
    int round = 0;
    for (auto _ : state) {
        state.PauseTiming();
        redis_turnstile_options options;
        options.name = "bench" + std::to_string(::getpid()) + "." + std::to_string(++round);
        options.partitions = 1;
        redis_turnstile turnstile(redis, options, nullptr);
        (void)turnstile.begin({0}, 1).has_value();
        (void)turnstile.open({0}, 1).has_value();
        (void)turnstile.warm_up(open_sale(redis_purchases)).has_value();
        const auto way = turnstile.open_lane([] {});
        std::vector<sale::attempt> batch;
        std::vector<sale::verdict> verdicts;
        spent -= script_microseconds(redis);
        state.ResumeTiming();
        std::int64_t sent = 0, told = 0;
        while (told < redis_purchases) {
            batch.clear();
            for (; sent - told < state.range(0) && sent < redis_purchases; ++sent)
                batch.push_back({.sale = {1}, .buyer = buyer(sent)});
            if (!batch.empty()) way->submit(batch, opening);
            verdicts.clear();
            way->collect(verdicts);
            told += static_cast<std::int64_t>(verdicts.size());
            if (verdicts.empty()) wait_for(way->ready_fd());
        }
        state.PauseTiming();
        spent += script_microseconds(redis);
        const auto counts = turnstile.read_counts();
        if (counts.by_answer[static_cast<std::size_t>(sale::answer::accepted)] != redis_purchases)
            state.SkipWithError("not everybody was served");
        for (const char* what : {"gate", "line", "sales", "sale:1", "buyers:1"})
            (void)redis.ask("", {"UNLINK", sale::key_of(options.name, {0}, what)}).has_value();
        state.ResumeTiming();
    }
    report_redis(state, spent);
}
BENCHMARK(through_redis)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Name("gate/through_redis");

// The usual alternative: one call of a short script for each purchase, pipelined.
void one_script_each(benchmark::State& state) {
    if (redis_address() == nullptr) return state.SkipWithError("FLOODGATE_TEST_REDIS is not set");
    store::redis redis(redis_there());
    const store::redis_script script(R"lua(
local stock = tonumber(redis.call('get', KEYS[1]))
if not stock or stock <= 0 then return 1 end
if redis.call('sismember', KEYS[2], ARGV[1]) == 1 then return 2 end
redis.call('decr', KEYS[1])
redis.call('sadd', KEYS[2], ARGV[1])
redis.call('xadd', KEYS[3], '*', 'userId', ARGV[1], 'voucherId', '1', 'id', ARGV[2])
return 0
)lua");
    double spent = 0;
    const std::string name = "peer" + std::to_string(::getpid());
    const std::string stock = name + ":stock", who = name + ":who", line = name + ":line";
    for (auto _ : state) {
        state.PauseTiming();
        (void)redis.ask("", {"SET", stock, std::to_string(redis_purchases)}).has_value();
        store::async_redis client(redis_there());
        spent -= script_microseconds(redis);
        state.ResumeTiming();
        std::int64_t sent = 0, told = 0;
        while (told < redis_purchases) {
            for (; sent - told < state.range(0) && sent < redis_purchases; ++sent) {
                store::async_redis::call c;
                store::words arguments;
                arguments.add(buyer(sent).value);
                arguments.add((std::int64_t{1} << 60U) + sent);
                c.command = store::to_run(script, {stock, who, line}, arguments);
                c.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
                c.done = [&](store::async_redis::outcome, const store::redis_reply&) { ++told; };
                client.run(std::move(c));
            }
            const std::int64_t before = told;
            client.turn();
            if (told == before) wait_for(client.fd());
        }
        state.PauseTiming();
        spent += script_microseconds(redis);
        (void)redis.ask("", {"UNLINK", stock, who, line}).has_value();
        state.ResumeTiming();
    }
    report_redis(state, spent);
}
BENCHMARK(one_script_each)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Arg(64)
    ->Arg(256)
    ->Name("gate/one_script_each");

}  // namespace
}  // namespace floodgate::gate

BENCHMARK_MAIN();
