#include "shop/access_register.hpp"

#include <sstream>
#include <vector>

namespace floodgate::shop {
namespace {

guard::api_key to_key(const ledger::api_key_row& row) {
    guard::api_key key{.id = row.id,
                       .name = row.name,
                       .scopes = 0,
                       .expires_at = to_ms(row.expires_at) == 0 ? instant{} : row.expires_at};
    std::istringstream words(row.scopes);
    for (std::string word; words >> word;)
        if (const auto known = guard::parse_scope(word)) key.allow(*known);
    return key;
}

}  // namespace

access_register::access_register(ledger::ledger& book, const floodgate::clock& clock)
    : book_(book), clock_(clock), following_("access", follow_every, [this] { follow(); }) {}

// Reads the revision before the lists: a change in between is read again at the next look.
result<void> access_register::reload() {
    const std::lock_guard lock(reloading_);
    const auto revision = book_.keys().access_revision();
    if (!revision) return revision.error();
    const auto keys = book_.keys().valid(clock_.now());
    if (!keys) return keys.error();
    const auto disabled = book_.keys().disabled_users();
    if (!disabled) return disabled.error();
    guard::access_list next;
    for (const ledger::api_key_row& row : *keys) next.keys.emplace(row.secret, to_key(row));
    for (const sale::user_id user : *disabled) next.disabled_users.insert(user.value);
    lists_.publish(std::move(next));
    revision_ = *revision;
    return {};
}

void access_register::follow() {
    const auto revision = book_.keys().access_revision();  // a failure is logged by the ledger
    bool changed = false;
    {
        const std::lock_guard lock(reloading_);
        changed = revision && *revision != revision_;
    }
    if (changed) (void)reload().has_value();
    write_uses();
}

void access_register::note_use(std::int64_t key, instant now) {
    const std::lock_guard lock(using_);
    uses_[key].last = now;
}

void access_register::write_uses() {
    std::vector<std::pair<std::int64_t, instant>> due;
    {
        const std::lock_guard lock(using_);
        for (const auto& [key, u] : uses_)
            if (u.last >= u.written + uses_written_every || u.written == instant{})
                due.emplace_back(key, u.last);
    }
    for (const auto& [key, at] : due) {
        if (!book_.keys().note_use(key, at)) return;
        const std::lock_guard lock(using_);
        uses_[key].written = at;
    }
}

}  // namespace floodgate::shop
