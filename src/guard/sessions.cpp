#include "guard/sessions.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <cstring>

namespace floodgate::guard {
namespace {

constexpr std::int64_t expires_ms_max = (std::int64_t{1} << 55U) - 1;  // a million years

std::uint64_t pack(const sale::login& l) {
    const auto ms = std::clamp<std::int64_t>(to_ms(l.expires_at), 0, expires_ms_max);
    return static_cast<std::uint64_t>(ms) << 8U | static_cast<std::uint64_t>(l.standing) << 4U |
           static_cast<std::uint64_t>(l.role);
}

instant expires_at(std::uint64_t packed) {
    return from_ms(static_cast<std::int64_t>(packed >> 8U));
}

sale::role role_in(std::uint64_t packed) { return static_cast<sale::role>(packed & 0xfU); }

sale::standing standing_in(std::uint64_t packed) {
    return static_cast<sale::standing>(packed >> 4U & 0xfU);
}

}  // namespace

sessions::key sessions::key_from(const sale::token_hash& hash) {
    key k;
    std::memcpy(&k.high, hash.data(), sizeof k.high);
    std::memcpy(&k.low, hash.data() + sizeof k.high, sizeof k.low);
    return k;
}

std::optional<identity> sessions::find(const sale::token_hash& hash, instant now) const {
    const key k = key_from(hash);
    const part& p = part_of(k);
    entry found;
    {
        const std::lock_guard lock(p.mutex);
        const auto it = p.logins.find(k);
        if (it == p.logins.end()) return std::nullopt;
        found = it->second;
    }
    if (expires_at(found.packed) <= now) return std::nullopt;
    return identity{{found.user}, role_in(found.packed), standing_in(found.packed)};
}

void sessions::add(const sale::login& l) {
    const key k = key_from(l.hash);
    part& p = part_of(k);
    const std::lock_guard lock(p.mutex);
    p.logins.insert_or_assign(k, entry{l.user.value, pack(l)});
}

void sessions::remove(const sale::token_hash& hash) {
    const key k = key_from(hash);
    part& p = part_of(k);
    const std::lock_guard lock(p.mutex);
    p.logins.erase(k);
}

void sessions::replace_all(std::span<const sale::login> logins) {
    boost::unordered_flat_set<key, key_hash> valid;
    valid.reserve(logins.size());
    for (const sale::login& l : logins) {
        valid.insert(key_from(l.hash));
        add(l);
    }
    for (part& p : parts_) {
        const std::lock_guard lock(p.mutex);
        boost::unordered::erase_if(p.logins,
                                   [&](const auto& login) { return !valid.contains(login.first); });
    }
}

std::size_t sessions::prune(instant now) {
    part& p = parts_[next_swept_.fetch_add(1, std::memory_order_relaxed) % parts];
    const std::lock_guard lock(p.mutex);
    return boost::unordered::erase_if(
        p.logins, [now](const auto& login) { return expires_at(login.second.packed) <= now; });
}

std::size_t sessions::count() const {
    std::size_t n = 0;
    for (const part& p : parts_) {
        const std::lock_guard lock(p.mutex);
        n += p.logins.size();
    }
    return n;
}

}  // namespace floodgate::guard
