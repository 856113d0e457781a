// The crowd that the ledger's benchmarks enter, over whatever database.

#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <vector>

#include "ledger/ledger.hpp"

namespace floodgate::bench {

inline constexpr std::size_t batch_size = 10'000;
inline constexpr std::size_t sales = 20;
inline const instant start = from_ms(1'800'000'000'000);

inline void add_sales(ledger::ledger& book, std::size_t stock, std::uint32_t limit) {
    sale::round r{{}, "bench", start, start + std::chrono::hours(1)};
    const auto round = book.catalogue().add_round(r).value();
    for (std::size_t i = 0; i < sales; ++i) {
        sale::sale s;
        s.product = book.catalogue().add_product({{}, "thing", "", {}, {100}}).value();
        s.round = round;
        s.price = {100};
        s.stock = static_cast<std::int64_t>(stock);
        s.limit = limit;
        s.state = sale::sale_state::published;
        book.catalogue().add_sale(s, start).value();
    }
}

// A crowd in no order: every buyer once in every sale at most.
inline std::vector<sale::promise> crowd(std::size_t size) {
    std::vector<sale::promise> all(size);
    for (std::size_t i = 0; i < size; ++i) {
        all[i].sale = {static_cast<std::int64_t>(i % sales) + 1};
        all[i].buyer = {static_cast<std::int64_t>(i / sales) + 1};
    }
    std::shuffle(all.begin(), all.end(), std::mt19937_64(42));
    for (std::size_t i = 0; i < size; ++i) {
        all[i].order = {(i + 1) << 12U};
        all[i].unit_price = {100};
        all[i].at = start + milliseconds(i / 100);
        if (i % 2 == 0) all[i].key.fill(static_cast<std::byte>(i));
    }
    return all;
}

inline double seconds(const std::function<void()>& work) {
    const auto before = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

inline void enter(ledger::ledger& book, std::span<const sale::promise> all) {
    sale::sequence last{};
    for (; !all.empty(); all = all.subspan(std::min(batch_size, all.size()))) {
        const auto batch = all.first(std::min(batch_size, all.size()));
        last.value += batch.size();
        if (book.orders().enter(batch, last).value().entered != batch.size())
            throw std::runtime_error("not all were entered");
    }
}

}  // namespace floodgate::bench
