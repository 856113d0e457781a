#include "jobs/deadline_closer.hpp"

#include <algorithm>

namespace floodgate::jobs {

void deadline_closer::step() {
    for (;;) {
        const auto report = world_.moves.close_due(world_.clock.now(), batch_max_);
        if (report.has_error()) return trouble_.failed(report.error().message());
        trouble_.succeeded();
        world_.settlement.settle(report->closed);
        world_.settlement.settle(report->closing);
        count(*report);
        const bool worked = !report->closed.empty() || !report->closing.empty();
        if (!worked || report->found < batch_max_) return;
    }
}

void deadline_closer::count(const ledger::due_report& report) {
    const instant now = world_.clock.now();
    closed_ += report.closed.size();
    sent_to_channel_ += report.closing.size();
    for (const auto* all : {&report.closed, &report.closing})
        for (const ledger::move_outcome& m : *all) {
            // Not below 0: the clock may have been set back since the ledger looked.
            const auto late = std::max(milliseconds(0), now - m.order.pay_by).count();
            late_ms_.add(static_cast<std::uint64_t>(late));
            late_ms_max_ = std::max(late_ms_max_.load(), static_cast<std::uint64_t>(late));
        }
}

deadline_figures deadline_closer::read_figures() const {
    return {closed_, sent_to_channel_, late_ms_max_, late_ms_.read()};
}

}  // namespace floodgate::jobs
