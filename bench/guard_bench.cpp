// What the guard costs each purchase: hashing the token, finding its login, asking the limiter.

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "guard/passwords.hpp"
#include "guard/rate_limiter.hpp"
#include "guard/sessions.hpp"
#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

constexpr instant now{milliseconds(1'800'000'000'000)};
constexpr std::size_t logins = 1'200'000;

struct crowd {
    sessions table;
    std::vector<std::string> tokens;

    crowd() {
        tokens.reserve(logins);
        for (std::size_t i = 0; i < logins; ++i) {
            tokens.push_back(new_token());
            table.add({hash_of(tokens.back()), {std::int64_t(i) + 1}, sale::role::buyer, never});
        }
    }
};

crowd& the_crowd() {
    static crowd c;
    return c;
}

void hash_a_token(benchmark::State& state) {
    const std::string token = new_token();
    for (auto _ : state) benchmark::DoNotOptimize(hash_of(token));
}
BENCHMARK(hash_a_token);

void hash_an_idempotency_key(benchmark::State& state) {
    const std::string header = "5f0c5b0e-7b1c-4b5e-9a55-0d8f6a1c2b3d";
    for (auto _ : state) benchmark::DoNotOptimize(key_of({42}, header));
}
BENCHMARK(hash_an_idempotency_key);

// In random order, as a crowd comes: both the token and its login are cache misses.
void find_one_of_1200000_logins(benchmark::State& state) {
    crowd& c = the_crowd();
    std::minstd_rand random(unsigned(state.thread_index()) + 1);
    for (auto _ : state)
        benchmark::DoNotOptimize(c.table.find(hash_of(c.tokens[random() % logins]), now));
}
BENCHMARK(find_one_of_1200000_logins)->Threads(1)->Threads(2)->Threads(4)->UseRealTime();

void find_nobody(benchmark::State& state) {
    crowd& c = the_crowd();
    const std::string stranger = new_token();
    for (auto _ : state) benchmark::DoNotOptimize(c.table.find(hash_of(stranger), now));
}
BENCHMARK(find_nobody);

void try_take(benchmark::State& state) {
    static std::unique_ptr<rate_limiter> limiter;
    if (state.thread_index() == 0)
        limiter = std::make_unique<rate_limiter>(rate_limit{.rate_per_s = 5, .burst = 10});
    std::minstd_rand random(unsigned(state.thread_index()) + 1);
    const auto keys = std::uint64_t(state.range(0));
    std::int64_t turn = 0;
    for (auto _ : state)
        benchmark::DoNotOptimize(
            limiter->try_take(random() % keys, now + milliseconds(++turn / 100)));
}
BENCHMARK(try_take)->Arg(1)->Arg(1000)->Arg(1'000'000)->UseRealTime();
BENCHMARK(try_take)->Arg(1'000'000)->Threads(2)->Threads(4)->UseRealTime();

void hash_a_password(benchmark::State& state) {
    const passwords p;
    for (auto _ : state) benchmark::DoNotOptimize(p.hash("correct horse"));
}
BENCHMARK(hash_a_password)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace floodgate::guard

BENCHMARK_MAIN();
