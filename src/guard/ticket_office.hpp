// Issues and redeems tickets: in the memory of one node (tickets.hpp), or in Redis for all nodes of
// a cluster (shared_tickets.hpp).
//
// A page uses a ticket instead of its log-in token where it can send no header: in the address of a
// WebSocket. A ticket is good for one use within half a minute, so that one that ends up in a
// proxy's log is worthless.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

// A ticket is valid only as long as the log-in it was issued for. The caller of redeem() must check
// that this log-in is still valid.
struct ticket_holder {
    sale::user_id user;
    sale::token_hash login{};

    friend bool operator==(const ticket_holder&, const ticket_holder&) = default;
};

// Any thread.
class ticket_office {
public:
    struct options {
        milliseconds lifetime{30'000};
        std::size_t per_user_max = 20;  // above it the user's oldest ticket is void
        std::size_t max = 100'000;      // in one node's memory; above it the oldest is void
    };
    struct issued {
        std::string text;  // 192 random bits in base64url
        instant expires_at;
    };

    virtual ~ticket_office() = default;
    // store_unavailable.
    virtual result<issued> issue(const ticket_holder& to, instant now) = 0;
    // Whose ticket it is; works once. Empty when it is unknown, used, void or expired at `now`.
    // store_unavailable: nothing is known about it.
    virtual result<std::optional<ticket_holder>> redeem(std::string_view text, instant now) = 0;
    // Whether the calls wait for a server. If so, never call them on an event loop.
    virtual bool may_block() const = 0;
};

}  // namespace floodgate::guard
