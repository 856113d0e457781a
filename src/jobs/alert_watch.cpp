#include "jobs/alert_watch.hpp"

#include <fmt/format.h>

namespace floodgate::jobs {
namespace {

// Whether `value` is too much: past its limit, and once it was, until it is at 80 % of it.
template <class T>
bool too_much(bool was, T value, T limit) {
    return was ? value > limit * 4 / 5 : value > limit;
}
bool too_little(bool was, std::uint64_t value, std::uint64_t limit) {
    return was ? value < limit / 4 * 5 : value < limit;
}

}  // namespace

void alert_watch::step(instant now) {
    const clerk::figures f = world_.clerk();
    look_at_backlog(f, now);
    look_at_ledger(f, now);
    look_at_disk(now);
}

void alert_watch::look_at_backlog(const clerk::figures& f, instant now) {
    backlog_ = too_much(backlog_, f.backlog, options_.backlog_alarm) ||
               too_much(backlog_, f.lag, options_.oldest_alarm);
    world_.board.set(backlog_, alarm::kind::backlog, "clerk",
                     fmt::format("promises not in the ledger yet: {}, the oldest for {} s",
                                 f.backlog, f.lag.count() / 1000),
                     now);
}

void alert_watch::look_at_ledger(const clerk::figures& f, instant now) {
    const bool failing = f.failing_since != never && now - f.failing_since > options_.failing_alarm;
    if (failing || f.failing_since == never)
        world_.board.set(failing, alarm::kind::ledger_failing, "ledger",
                         "orders cannot be entered: see clerk.stalled in the log", now);
}

void alert_watch::look_at_disk(instant now) {
    const std::optional<disk_space> space = world_.disk ? world_.disk() : std::nullopt;
    const std::uint64_t least =
        space ? std::max(options_.disk_min_bytes, space->total / 100 * options_.disk_min_percent)
              : 0;
    disk_ = space && too_little(disk_, space->free, least);
    world_.board.set(
        disk_, alarm::kind::disk, "data",
        space ? fmt::format("{} MiB of {} MiB are free", space->free >> 20U, space->total >> 20U)
              : "",
        now);
}

}  // namespace floodgate::jobs
