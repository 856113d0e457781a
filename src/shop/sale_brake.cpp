#include "shop/sale_brake.hpp"

#include "base/backoff.hpp"

namespace floodgate::shop {
namespace {

using enum sale::sale_state;

constexpr backoff tries_again{.first = milliseconds(500), .last = milliseconds(5000)};

}  // namespace

void sale_brake::remember(const std::vector<sale::sale>& all) {
    const std::lock_guard lock(mutex_);
    remembered_.clear();
    for (const sale::sale& s : all) remembered_.emplace_hint(remembered_.end(), s.id, s);
}

void sale_brake::remember(const sale::sale& s) {
    const std::lock_guard lock(mutex_);
    remembered_.insert_or_assign(s.id, s);
}

result<void> sale_brake::tell(const sale::sale& s) {
    const std::lock_guard lock(mutex_);
    const auto closed = pending_.find(s.id);
    if (closed == pending_.end() && s.state == draft) return {};
    sale::sale terms = s;
    if (closed != pending_.end()) terms.state = closed->second.what.to;
    return gate_.warm_up(terms);
}

sale::sale_state sale_brake::state_of(const sale::sale& s) const {
    const auto closed = pending(s.id);
    return closed && !closed->written ? closed->what.to : s.state;
}

std::optional<result<void>> sale_brake::close_at_once(sale::sale_id id, const closing& what) {
    const std::lock_guard lock(mutex_);
    const auto known = remembered_.find(id);
    if (known == remembered_.end()) return std::nullopt;
    const sale::sale_state now = known->second.state;
    if (now != published && now != paused) return std::nullopt;
    const auto closed = pending_.find(id);
    if (closed != pending_.end() && closed->second.what.to == ended && what.to != ended)
        return std::nullopt;
    return close_locked(known->second, what);
}

result<void> sale_brake::close(const sale::sale& s, const closing& what) {
    const std::lock_guard lock(mutex_);
    return close_locked(s, what);
}

// With the revision 0 the gate takes over these terms even if its own are newer.
result<void> sale_brake::close_locked(const sale::sale& s, const closing& what) {
    const auto [at, fresh] = pending_.try_emplace(s.id, pending_closing{.sale = s, .what = what});
    pending_closing& p = at->second;
    if (!fresh && what.to == ended && p.what.to != ended)
        p = {.sale = p.sale, .what = what, .tries = p.tries};
    sale::sale closed = s;
    closed.state = p.what.to;
    closed.revision = 0;
    return tell_closed(closed);
}

// Closing leaves the gate's stock as it is. The gate may have promised more units than the ledger
// has; this must not keep the sale open, and the difference must stay visible.
result<void> sale_brake::tell_closed(sale::sale s) {
    if (const auto standing = gate_.look_up(s.id)) s.stock = standing->stock;
    return gate_.warm_up(s);
}

std::optional<pending_closing> sale_brake::pending(sale::sale_id id) const {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(id);
    if (found == pending_.end()) return std::nullopt;
    return found->second;
}

std::vector<sale::sale_id> sale_brake::due(instant now) const {
    const std::lock_guard lock(mutex_);
    std::vector<sale::sale_id> out;
    for (const auto& [id, p] : pending_)
        if (now >= p.next_try) out.push_back(id);
    return out;
}

void sale_brake::postpone(sale::sale_id id, instant now) {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(id);
    if (found != pending_.end())
        found->second.next_try = now + tries_again.after(++found->second.tries);
}

result<void> sale_brake::finish(const sale::sale& as_written, sale::sale_state to, instant now) {
    const std::lock_guard lock(mutex_);
    sale::sale terms = as_written;
    const auto found = pending_.find(terms.id);
    // The sale was ended while it was being paused: that is another closing, which comes next.
    const bool another = found != pending_.end() && found->second.what.to != to;
    if (another) terms.state = found->second.what.to;
    remembered_.insert_or_assign(as_written.id, as_written);
    const auto told = tell_closed(terms);
    if (found == pending_.end() || another) return told;
    if (told) {
        pending_.erase(found);
    } else {
        found->second.written = true;
        found->second.next_try = now + tries_again.after(++found->second.tries);
    }
    return told;
}

void sale_brake::drop(sale::sale_id id) {
    const std::lock_guard lock(mutex_);
    pending_.erase(id);
}

}  // namespace floodgate::shop
