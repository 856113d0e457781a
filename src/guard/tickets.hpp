// Tickets: what a page shows instead of its log-in token where it can send no header, in the
// address of a WebSocket. Good for one use within half a minute, so that one that ends up in a
// proxy's log is worth nothing.
//
// In memory only: whoever loses theirs in a restart asks for another. Any thread.

#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

class tickets {
public:
    struct options {
        milliseconds lifetime{30'000};
        std::size_t per_user_max = 20;  // one more, and the user's oldest is void
        std::size_t max = 100'000;      // one more, and the oldest of all is void
    };
    explicit tickets(options o) : options_(o) {}
    tickets() : tickets(options{}) {}

    struct issued {
        std::string text;  // 192 random bits in base64url
        instant expires_at;
    };
    issued issue(sale::user_id user, instant now);

    // Whose it is, once. Nothing when it is unknown, used, void or expired at `now`.
    std::optional<sale::user_id> redeem(std::string_view text, instant now);

    std::size_t count() const;

private:
    // Half of the hash: the text itself is not kept.
    struct key {
        std::uint64_t high = 0, low = 0;
        friend bool operator==(const key&, const key&) = default;
    };
    struct key_hash {
        std::size_t operator()(const key& k) const noexcept { return k.high; }
    };
    struct entry {
        key k;
        sale::user_id user;
        instant expires_at;
    };
    using line = std::list<entry>;

    static key key_of(std::string_view text);
    void forget(line::iterator which);

    const options options_;
    mutable std::mutex mutex_;
    line line_;  // oldest first
    std::unordered_map<key, line::iterator, key_hash> by_key_;
    std::unordered_map<sale::user_id, std::vector<line::iterator>> by_user_;  // oldest first
};

}  // namespace floodgate::guard
