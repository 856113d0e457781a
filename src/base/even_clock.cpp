#include "base/even_clock.hpp"

#include <algorithm>
#include <ctime>

namespace floodgate {
namespace {

instant machine_wall() { return wall_clock().now(); }

milliseconds machine_uptime() {
    timespec t{};
    clock_gettime(CLOCK_BOOTTIME, &t);
    return milliseconds(std::int64_t{t.tv_sec} * 1000 + t.tv_nsec / 1'000'000);
}

}  // namespace

even_clock::even_clock() : even_clock(sources{machine_wall, machine_uptime}) {}

even_clock::even_clock(sources from)
    : from_(from), offset_ms_(to_ms(from.wall()) - from.uptime().count()) {}

void even_clock::follow() {
    const milliseconds apart = from_.wall() - now();
    apart_ms_ = apart.count();
    if (!jumped()) offset_ms_ += std::clamp(apart, -step, step).count();
}

}  // namespace floodgate
