#include "jobs/sale_forgetter.hpp"

#include "base/log.hpp"

namespace floodgate::jobs {

void sale_forgetter::step(instant now) {
    // If the clock was set back, do not wait until it shows the earlier time again.
    const bool too_soon =
        looked_at_ != never && now >= looked_at_ && now < looked_at_ + options_.look_every;
    if (too_soon) return;
    looked_at_ = now;
    bool any = false;
    for (const sale::sale& s : over_and_loaded(now)) any = forget(s) || any;
    if (any) world_.node.catalogue_changed();
}

std::vector<sale::sale> sale_forgetter::over_and_loaded(instant now) {
    auto sales = world_.book.catalogue().sales();
    if (!sales) return {};  // the ledger has logged it
    std::erase_if(*sales, [&](const sale::sale& s) { return !options_.memory.is_over(s, now); });
    std::vector<sale::sale_id> ids;
    for (const sale::sale& s : *sales) ids.push_back(s.id);
    const auto standing = world_.gate.look_up_all(ids);
    std::vector<sale::sale> out;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (standing[i]) out.push_back((*sales)[i]);
    return out;
}

bool sale_forgetter::forget(const sale::sale& s) {
    // Look in this order, so that a promise in flight is found either in the line or in the ledger.
    const auto queued = world_.between.of_sale(s.id);
    if (!queued || !queued->empty()) return false;
    const auto settled = world_.book.tallies().is_settled(s.id);
    if (!settled || !*settled) return false;
    if (const auto gone = world_.gate.forget(s); !gone) return false;
    ++forgotten_;
    log::info("jobs.sale_forgotten", "sale", s.id.value, "round", s.round.value);
    return true;
}

}  // namespace floodgate::jobs
