// Where tickets come from and are redeemed: in the memory of one node (tickets.hpp), or for all
// nodes of a cluster in Redis (shared_tickets.hpp).
//
// A ticket is what a page shows instead of its log-in token where it can send no header, in the
// address of a WebSocket. Good for one use within half a minute, so that one that ends up in a
// proxy's log is worth nothing.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

// A ticket is worth no more than the log-in it was issued for: whoever redeems one must look
// whether that log-in still holds.
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
        std::size_t per_user_max = 20;  // one more, and the user's oldest is void
        std::size_t max = 100'000;      // of one node's memory: one more, and the oldest is void
    };
    struct issued {
        std::string text;  // 192 random bits in base64url
        instant expires_at;
    };

    virtual ~ticket_office() = default;
    // store_unavailable.
    virtual result<issued> issue(const ticket_holder& to, instant now) = 0;
    // Whose it is, once. Nothing when it is unknown, used, void or expired at `now`, or when it
    // cannot be found out.
    virtual std::optional<ticket_holder> redeem(std::string_view text, instant now) = 0;
    // Whether the calls wait for a server: then never on an event loop.
    virtual bool may_block() const = 0;
};

}  // namespace floodgate::guard
