#include "store/redis/facts.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <tuple>

namespace floodgate::store {
namespace {

std::tuple<int, int, int> numbers_of(std::string_view version) {
    std::array<int, 3> out{};
    const char* at = version.data();
    const char* end = at + version.size();
    for (int& number : out) {
        at = std::from_chars(at, end, number).ptr;
        if (at == end || *at != '.') break;
        ++at;
    }
    return {out[0], out[1], out[2]};
}

// A setting that cannot be read counts as the weakest.
int strength(std::string_view append_fsync) {
    if (append_fsync == "always") return 3;
    if (append_fsync == "everysec") return 2;
    return append_fsync == "no" ? 1 : 0;
}

}  // namespace

std::string info_field(std::string_view info, std::string_view field) {
    while (!info.empty()) {
        const auto end = info.find('\n');
        std::string_view line = info.substr(0, end);
        info.remove_prefix(end == std::string_view::npos ? info.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.size() > field.size() && line.starts_with(field) && line[field.size()] == ':')
            return std::string(line.substr(field.size() + 1));
    }
    return {};
}

redis_facts read_redis_info(std::string_view info) {
    redis_facts out;
    const std::string valkey = info_field(info, "valkey_version");
    const bool is_valkey = !valkey.empty() || info_field(info, "server_name") == "valkey";
    out.kind = is_valkey ? "valkey" : "redis";
    out.version = valkey.empty() ? info_field(info, "redis_version") : valkey;
    out.append_only = info_field(info, "aof_enabled") == "1";
    return out;
}

void demand_redis_7(const redis_facts& facts, const std::string& address) {
    constexpr auto oldest = std::tuple(7, 0, 0);
    if (numbers_of(facts.version) >= oldest) return;
    throw std::runtime_error(address + ": " + facts.kind + " " +
                             (facts.version.empty() ? "of an unknown version" : facts.version) +
                             " is too old: 7.0 or newer is needed");
}

redis_facts weaker(const redis_facts& a, const redis_facts& b) {
    redis_facts out = numbers_of(b.version) < numbers_of(a.version) ? b : a;
    out.append_only = a.append_only && b.append_only;
    out.append_fsync =
        strength(b.append_fsync) < strength(a.append_fsync) ? b.append_fsync : a.append_fsync;
    out.eviction = a.eviction == "noeviction" ? b.eviction : a.eviction;
    out.clock_apart = std::chrono::abs(b.clock_apart) > std::chrono::abs(a.clock_apart)
                          ? b.clock_apart
                          : a.clock_apart;
    return out;
}

}  // namespace floodgate::store
