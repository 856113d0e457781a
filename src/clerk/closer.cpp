#include "clerk/closer.hpp"

#include <algorithm>

namespace floodgate::clerk {

void lateness::add(milliseconds late) {
    const std::int64_t ms = std::max<std::int64_t>(0, late.count());
    const auto bound = std::lower_bound(bounds.begin(), bounds.end(), ms);
    ++counts[static_cast<std::size_t>(bound - bounds.begin())];
    late_ms_total += ms;
    late_ms_max = std::max(late_ms_max, ms);
}

void closer::step() {
    for (;;) {
        const auto report = world_.moves.close_due(world_.clock.now(), batch_max_);
        if (report.has_error()) return trouble_.note(report.error().message());
        trouble_.over();
        world_.after.settle(report->closed);
        world_.after.settle(report->closing);
        count(*report);
        const bool worked = !report->closed.empty() || !report->closing.empty();
        if (!worked || report->found < batch_max_) return;
    }
}

void closer::count(const ledger::due_report& report) {
    const instant now = world_.clock.now();
    const std::lock_guard lock(mutex_);
    figures_.closed += report.closed.size();
    figures_.sent_to_channel += report.closing.size();
    for (const auto* all : {&report.closed, &report.closing})
        for (const ledger::move_outcome& m : *all) figures_.late.add(now - m.order.pay_by);
}

closer_figures closer::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace floodgate::clerk
