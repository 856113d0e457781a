#include "jobs/round_keeper.hpp"

#include "base/log.hpp"

namespace floodgate::jobs {

void round_keeper::step(instant now) {
    // If the clock was set back, do not wait until it shows the earlier time again.
    const bool too_soon =
        looked_at_ != never && now >= looked_at_ && now < looked_at_ + options_.read_every;
    if (too_soon) return;
    looked_at_ = now;
    const bool readable = look(now);
    if (!readable && !unreadable_) log::warning("jobs.rounds_unreadable");
    unreadable_ = !readable;
}

bool round_keeper::look(instant now) {
    const auto rounds = catalogue_.rounds();
    if (!rounds) return false;
    for (const sale::round& r : *rounds) notice(r, now);

    const auto sales = desk_.sales();
    if (!sales) return false;
    load_ahead(*sales, now);
    return true;
}

void round_keeper::load_ahead(const std::vector<sale::sale>& sales, instant now) {
    for (const sale::sale& s : sales) {
        const bool near = now >= s.starts_at - options_.lead && now < s.ends_at;
        if (!near || s.state != sale::sale_state::published) continue;
        const auto known = warmed_.find(s.id);
        if (known == warmed_.end() || known->second != s.starts_at) load(s);
    }
}

void round_keeper::load(const sale::sale& s) {
    if (const auto loaded = desk_.warm_up(s.id, {}); !loaded) {
        count(&round_figures::failed);
        if (failing_.insert(s.id).second) {
            log::warning("jobs.warm_up_failed", "sale", s.id.value, "reason",
                         loaded.error().message());
        }
        return;
    }
    failing_.erase(s.id);
    warmed_[s.id] = s.starts_at;
    count(&round_figures::warmed);
    log::info("jobs.sale_warmed_up", "sale", s.id.value, "round", s.round.value, "stock", s.stock);
}

// Does not log what happened before the first look, or before the round got its present times.
void round_keeper::notice(const sale::round& r, instant now) {
    const auto [at, fresh] = watched_.try_emplace(r.id);
    watched& w = at->second;
    if (fresh || w.starts_at != r.starts_at) w.opened = now >= r.starts_at;
    if (fresh || w.ends_at != r.ends_at) w.ended = now >= r.ends_at;
    w.starts_at = r.starts_at;
    w.ends_at = r.ends_at;
    if (!w.opened && now >= r.starts_at) {
        w.opened = true;
        count(&round_figures::opened);
        log::info("jobs.round_opened", "round", r.id.value);
    }
    if (!w.ended && now >= r.ends_at) {
        w.ended = true;
        count(&round_figures::ended);
        log::info("jobs.round_ended", "round", r.id.value);
    }
}

void round_keeper::count(std::uint64_t round_figures::*which) {
    const std::scoped_lock lock(mutex_);
    ++(figures_.*which);
}

round_figures round_keeper::read_figures() const {
    const std::scoped_lock lock(mutex_);
    return figures_;
}

}  // namespace floodgate::jobs
