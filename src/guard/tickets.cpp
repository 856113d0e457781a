#include "guard/tickets.hpp"

#include <algorithm>
#include <cstring>

#include "guard/tokens.hpp"

namespace floodgate::guard {

tickets::key tickets::key_of(std::string_view text) {
    const sale::token_hash hash = hash_of(text);
    key k;
    std::memcpy(&k.high, hash.data(), sizeof k.high);
    std::memcpy(&k.low, hash.data() + sizeof k.high, sizeof k.low);
    return k;
}

result<ticket_office::issued> tickets::issue(const ticket_holder& to, instant now) {
    issued out{new_token(), now + options_.lifetime};
    const key k = key_of(out.text);
    const std::lock_guard lock(mutex_);
    // All tickets live equally long, so the expired ones are at the front. If the clock was set
    // back, one may stand behind a younger one; it is refused nevertheless and removed later.
    while (!line_.empty() && line_.front().expires_at <= now) forget(line_.begin());
    if (line_.size() >= options_.max) forget(line_.begin());
    if (const auto own = by_user_.find(to.user);
        own != by_user_.end() && own->second.size() >= options_.per_user_max)
        forget(own->second.front());

    line_.push_back({k, to, out.expires_at});
    by_key_.emplace(k, std::prev(line_.end()));
    by_user_[to.user].push_back(std::prev(line_.end()));
    return out;
}

result<std::optional<ticket_holder>> tickets::redeem(std::string_view text, instant now) {
    if (text.size() != token_characters) return std::optional<ticket_holder>();
    const key k = key_of(text);
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(k);
    if (found == by_key_.end()) return std::optional<ticket_holder>();
    const entry e = *found->second;
    forget(found->second);
    if (e.expires_at <= now) return std::optional<ticket_holder>();
    return std::optional(e.holder);
}

void tickets::forget(line::iterator which) {
    const auto own = by_user_.find(which->holder.user);
    std::erase(own->second, which);
    if (own->second.empty()) by_user_.erase(own);
    by_key_.erase(which->k);
    line_.erase(which);
}

std::size_t tickets::count() const {
    const std::lock_guard lock(mutex_);
    return line_.size();
}

}  // namespace floodgate::guard
