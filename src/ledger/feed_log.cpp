#include "ledger/feed_log.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace floodgate::ledger {
namespace {

void write_rows(store::connection& c, const char* kind, std::vector<std::uint64_t> numbers,
                instant at) {
    std::vector<std::byte> payload(std::min(numbers.size(), feed_row_events_max) * 8);
    for (std::size_t done = 0; done < numbers.size();) {
        const std::size_t count = std::min(numbers.size() - done, feed_row_events_max);
        std::byte* to = payload.data();
        for (std::size_t i = 0; i < count; ++i) put(to, numbers[done + i]);
        c.run("INSERT INTO feed (events, kind, at_ms, payload) VALUES (?, ?, ?, ?)", count, kind,
              at, byte_view(payload.data(), count * 8));
        done += count;
    }
}

}  // namespace

void log_entries(store::connection& c, std::span<const sale::order> orders, instant at) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(orders.size());
    for (const sale::order& o : orders) numbers.push_back(o.no.value);
    write_rows(c, feed_entries, std::move(numbers), at);
}

void log_moves(store::connection& c, std::span<const std::int64_t> events, instant at) {
    write_rows(c, feed_moves, {events.begin(), events.end()}, at);
}

}  // namespace floodgate::ledger
