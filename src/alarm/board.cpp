#include "alarm/board.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace floodgate::alarm {

const char* to_text(kind k) {
    switch (k) {
    case kind::dead_letters: return "dead_letters";
    case kind::invariant_breach: return "invariant_breach";
    case kind::backlog: return "backlog";
    case kind::disk: return "disk";
    case kind::ledger_failing: return "ledger_failing";
    case kind::payment_limbo: return "payment_limbo";
    case kind::extra_money: return "extra_money";
    case kind::clock_jumped: return "clock_jumped";
    }
    return "?";
}

void board::raise(kind k, const std::string& subject, const std::string& detail, instant now) {
    alert fresh{k, subject, detail, now};
    {
        const std::scoped_lock held(mutex_);
        const auto [at, added] = standing_.try_emplace({k, subject}, fresh);
        if (!added) {
            at->second.detail = detail;
            return;
        }
        ++raised_[k];
    }
    log::error("alarm.raised", "alert", to_text(k), "subject", subject, "detail", detail);
    if (told_) told_({std::move(fresh), false, now});
}

void board::clear(kind k, const std::string& subject, instant now) {
    alert over;
    {
        const std::scoped_lock held(mutex_);
        const auto at = standing_.find({k, subject});
        if (at == standing_.end()) return;
        over = std::move(at->second);
        standing_.erase(at);
    }
    log::info("alarm.cleared", "alert", to_text(k), "subject", subject, "after_ms",
              (now - over.since).count());
    if (told_) told_({std::move(over), true, now});
}

void board::set(bool wrong, kind k, const std::string& subject, const std::string& detail,
                instant now) {
    if (wrong) {
        raise(k, subject, detail, now);
    } else {
        clear(k, subject, now);
    }
}

std::vector<alert> board::standing() const {
    std::vector<alert> out;
    {
        const std::scoped_lock held(mutex_);
        for (const auto& [name, a] : standing_) out.push_back(a);
    }
    std::ranges::stable_sort(out, {}, &alert::since);
    return out;
}

std::uint64_t board::raised(kind k) const {
    const std::scoped_lock held(mutex_);
    const auto found = raised_.find(k);
    return found == raised_.end() ? 0 : found->second;
}

}  // namespace floodgate::alarm
