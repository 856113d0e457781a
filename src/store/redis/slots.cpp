#include "store/redis/slots.hpp"

#include <algorithm>
#include <array>

#include "base/endpoint.hpp"

namespace floodgate::store {
namespace {

// CRC-16/XMODEM: polynomial 0x1021, from 0.
constexpr std::array<std::uint16_t, 256> make_table() {
    std::array<std::uint16_t, 256> table{};
    for (unsigned i = 0; i < table.size(); ++i) {
        unsigned crc = i << 8U;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
        table[i] = static_cast<std::uint16_t>(crc);
    }
    return table;
}
constexpr auto crc_table = make_table();

std::uint16_t crc16(std::string_view bytes) {
    unsigned crc = 0;
    for (const char c : bytes)
        crc = (crc << 8U) ^ crc_table[((crc >> 8U) ^ static_cast<unsigned char>(c)) & 0xffU];
    return static_cast<std::uint16_t>(crc);
}

bool is_server(const redis_reply& r) {
    return r.what == redis_reply::kind::array && r.items.size() >= 2 &&
           r.items[1].what == redis_reply::kind::integer;
}

std::string address_in(const redis_reply& r, const std::string& asked) {
    endpoint out{r.items[0].text, static_cast<std::uint16_t>(r.items[1].integer)};
    const auto own = endpoint_from_server(asked);
    if (own && (out.host.empty() || out.host == "?")) out.host = own->host;
    return out.text();
}

bool is_range(const redis_reply& r) {
    constexpr auto last = static_cast<std::int64_t>(redis_slots_max) - 1;
    return r.what == redis_reply::kind::array && r.items.size() >= 3 && r.items[0].integer >= 0 &&
           r.items[0].integer <= r.items[1].integer && r.items[1].integer <= last &&
           std::all_of(r.items.begin() + 2, r.items.end(), is_server);
}

}  // namespace

std::uint16_t redis_slot(std::string_view key) {
    const auto open = key.find('{');
    if (open != std::string_view::npos) {
        const auto close = key.find('}', open + 1);
        if (close != std::string_view::npos && close > open + 1)
            key = key.substr(open + 1, close - open - 1);
    }
    return crc16(key) % redis_slots_max;
}

std::optional<redis_slots> redis_slots::from(const redis_reply& answer, const std::string& asked) {
    if (answer.what != redis_reply::kind::array) return std::nullopt;
    redis_slots out;
    for (const redis_reply& range : answer.items) {
        if (!is_range(range)) return std::nullopt;
        const std::uint16_t server = out.number_of(address_in(range.items[2], asked));
        for (auto slot = range.items[0].integer; slot <= range.items[1].integer; ++slot)
            out.by_slot_[static_cast<std::size_t>(slot)] = server;
        for (std::size_t i = 3; i < range.items.size(); ++i)
            out.replicas_.push_back(address_in(range.items[i], asked));
    }
    return out;
}

void redis_slots::moved(std::uint16_t slot, const std::string& address) {
    by_slot_[slot % redis_slots_max] = number_of(address);
}

std::vector<std::string> redis_slots::masters() const {
    return {servers_.begin() + 1, servers_.end()};
}

bool redis_slots::complete() const {
    return std::find(by_slot_.begin(), by_slot_.end(), 0) == by_slot_.end();
}

std::uint16_t redis_slots::number_of(const std::string& address) {
    auto found = std::find(servers_.begin() + 1, servers_.end(), address);
    if (found == servers_.end()) found = servers_.insert(servers_.end(), address);
    return static_cast<std::uint16_t>(found - servers_.begin());
}

}  // namespace floodgate::store
