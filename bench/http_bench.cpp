// What a purchase costs at the edge, in process: reading the request, and writing the answer by
// hand or with the JSON library (docs/adr/0003).

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <benchmark/benchmark.h>

#include <cstring>

#include "api/json_body.hpp"
#include "http/conversation.hpp"
#include "http/wire.hpp"
#include "sale/order_number.hpp"

namespace floodgate::edge {
namespace {

const std::string purchase =
    "POST /api/v1/sales/1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
    "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n\r\n";

void read_request(benchmark::State& state) {
    const http_limits limits;
    conversation talk(limits);
    for (auto _ : state) {
        std::memcpy(talk.room().data(), purchase.data(), purchase.size());
        talk.received(purchase.size());
        benchmark::DoNotOptimize(talk.next());
        talk.finish();
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(read_request)->Name("edge/read_request");

void answer_by_hand(benchmark::State& state) {
    date_line date;
    std::string out;
    for (auto _ : state) {
        out.clear();
        write_verdict(out, {.what = sale::answer::accepted, .order = {380457119884771328}},
                      language::en, {.date = date.at(from_ms(1'800'000'000'000))});
        benchmark::DoNotOptimize(out.data());
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(answer_by_hand)->Name("edge/answer_by_hand");

void answer_by_library(benchmark::State& state) {
    date_line date;
    std::string out;
    for (auto _ : state) {
        out.clear();
        const reply r = json_reply(
            202, {{"order_no", sale::to_text({380457119884771328})}, {"status", "queued"}});
        write_reply(out, r, {.date = date.at(from_ms(1'800'000'000'000))});
        benchmark::DoNotOptimize(out.data());
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(answer_by_library)->Name("edge/answer_by_library");

void sold_out(benchmark::State& state) {
    date_line date;
    std::string out;
    for (auto _ : state) {
        out.clear();
        write_verdict(out, {.what = sale::answer::sold_out}, language::en,
                      {.date = date.at(from_ms(1'800'000'000'000))});
        benchmark::DoNotOptimize(out.data());
    }
}
BENCHMARK(sold_out)->Name("edge/answer_sold_out");

void already_ordered(benchmark::State& state) {
    date_line date;
    std::string out;
    for (auto _ : state) {
        out.clear();
        write_verdict(out, {.what = sale::answer::already_ordered, .order = {380457119884771328}},
                      language::en, {.date = date.at(from_ms(1'800'000'000'000))});
        benchmark::DoNotOptimize(out.data());
    }
}
BENCHMARK(already_ordered)->Name("edge/answer_already_ordered");

void read_quantity(benchmark::State& state) {
    for (auto _ : state) {
        json_body body(R"({"quantity":2})");
        benchmark::DoNotOptimize(body.optional_integer("quantity", {1, 1000}));
        benchmark::DoNotOptimize(body.finish());
    }
}
BENCHMARK(read_quantity)->Name("edge/read_quantity");

}  // namespace
}  // namespace floodgate::edge

BENCHMARK_MAIN();
