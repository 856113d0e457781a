// The log-ins: from the hash of a token to its user.
//
// They are kept in memory, because every purchase asks. The ledger holds the same logins; the table
// is filled from it at start. Every method may be called from any thread.
//
// The time of a look-up depends on the content of the table. That is harmless: the table is
// searched by the hash of a 192-bit secret, and an attacker who learns something about hashes by
// timing still cannot make a token that has a given hash.

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
    sale::standing standing = sale::standing::full;

    friend bool operator==(const identity&, const identity&) = default;
};

class sessions {
public:
    // By guard::hash_of(token). Nothing for a token that is unknown, removed, or expired at `now`.
    std::optional<identity> find(const sale::token_hash& hash, instant now) const;

    // Replaces a login with the same hash.
    void add(const sale::login& l);
    // The login may be absent. A find that starts afterwards does not see it.
    void remove(const sale::token_hash& hash);
    // Replaces all logins by these. Logins made since these were read are lost here and must be
    // found again elsewhere.
    void replace_all(std::span<const sale::login> logins);

    // Removes expired logins from one of the table's parts and gives their number. Expired logins
    // are refused anyway; call it about once a second, and `parts` calls free all their memory.
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
        std::uint64_t packed = 0;  // milliseconds since 1970, then 4 bits each of standing and role
    };
    // Its lock is held for one look-up, one insertion (in which a part may grow: 1 ms with a
    // million logins in all) or one sweep. Each part has cache lines of its own.
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
