#include "engine/redis_durability.hpp"

#include <fmt/format.h>

namespace floodgate::engine {
namespace {

constexpr milliseconds clocks_apart_max{500};

}  // namespace

std::string say_durability(const store::redis_facts& f) {
    return fmt::format("gate and queue: {} {} appendonly={} appendfsync={}", f.kind, f.version,
                       f.append_only ? "yes" : "no",
                       f.append_fsync.empty() ? "unknown" : f.append_fsync);
}

std::vector<std::string> weaknesses_of(const store::redis_facts& f) {
    std::vector<std::string> out;
    if (!f.append_only)
        out.push_back(
            "redis: appendonly is off: its restart loses promises that were acknowledged");
    if (f.append_only && f.append_fsync != "always")
        out.push_back(
            fmt::format("redis: appendfsync is {}: a crash of its machine loses the promises of "
                        "the last second",
                        f.append_fsync.empty() ? "unknown" : f.append_fsync));
    if (!f.eviction.empty() && f.eviction != "noeviction")
        out.push_back(fmt::format(
            "redis: maxmemory-policy is {}: it may throw away the gate; noeviction is needed",
            f.eviction));
    if (f.clock_apart > clocks_apart_max || f.clock_apart < -clocks_apart_max)
        out.push_back(fmt::format(
            "the clocks of redis and of this machine are {} ms apart: nodes may open a sale that "
            "much apart",
            f.clock_apart.count()));
    return out;
}

}  // namespace floodgate::engine
