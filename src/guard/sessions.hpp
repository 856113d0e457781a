// Who is logged in: the hash of a token -> whose it is.
//
// In memory, because every purchase asks. The ledger holds the same logins; the table is filled
// from it at start. Every method may be called from any thread.
//
// Looking a token up takes a time that depends on what is in the table, and that is harmless: the
// table is searched by the hash of a 192-bit secret, and whoever learns something about hashes by
// timing still has no way to make a token that has a given hash.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

struct identity {
    sale::user_id user;
    sale::role role = sale::role::buyer;

    friend bool operator==(const identity&, const identity&) = default;
};

class sessions {
public:
    // By guard::hash_of(token). Nothing for a token that is unknown, removed, or expired at `now`.
    std::optional<identity> find(const sale::token_hash& hash, instant now) const;

    // A login that is there already is replaced.
    void add(const sale::login& l);
    // Absent is fine. A find that starts afterwards does not see it.
    void remove(const sale::token_hash& hash);
    // Forgets every login that is not among these, and takes over those that are. Whoever logged in
    // since they were read has to be found again.
    void replace_all(std::span<const sale::login> logins);

    // Sweeps one of the table's parts and gives how many logins it forgot. Expired ones are refused
    // anyway; call it once a second or so to have their memory back within `parts` calls.
    std::size_t prune(instant now);

    std::size_t count() const;

    static constexpr std::size_t parts = 64;

private:
    // Half of the hash. Finding a token for one of a million logins would take 2^108 tries.
    struct key {
        std::uint64_t high = 0, low = 0;
        friend bool operator==(const key&, const key&) = default;
    };
    // The bits are random already; mixing them again would only cost time.
    struct key_hash {
        using is_avalanching = void;
        std::size_t operator()(const key& k) const noexcept { return k.high; }
    };
    // With its key 32 bytes: two to a cache line.
    struct entry {
        std::int64_t user = 0;
        std::uint64_t expires_and_role = 0;  // milliseconds since 1970, then 8 bits of role
    };
    // Held for one look-up, one insertion (in which a part may grow, 1 ms at a million logins
    // in all), or one sweep. Each on cache lines of its own.
    struct alignas(64) part {
        mutable std::mutex mutex;
        boost::unordered_flat_map<key, entry, key_hash> logins;
    };

    static key key_from(const sale::token_hash& hash);
    part& part_of(const key& k) { return parts_[k.low % parts]; }
    const part& part_of(const key& k) const { return parts_[k.low % parts]; }

    std::array<part, parts> parts_;
    std::atomic<std::size_t> next_swept_{0};
};

}  // namespace floodgate::guard
