// Tickets for all nodes of a cluster: issued by one, redeemed at any.
//
// Keys: NAME:ticket:<half of the hash> = "user expires login", which expires with the ticket;
// NAME:tickets:<user>, a sorted set of the user's tickets by the time (Redis' own) of their issue.

#pragma once

#include "guard/ticket_office.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::guard {

class shared_tickets final : public ticket_office {
public:
    shared_tickets(store::redis& redis, std::string name, options o = {});

    result<issued> issue(const ticket_holder& to, instant now) override;
    result<std::optional<ticket_holder>> redeem(std::string_view text, instant now) override;
    bool may_block() const override { return true; }

private:
    std::string key_of(std::string_view ticket) const;  // "NAME:ticket:..."
    std::string key_of(sale::user_id user) const;

    store::redis& redis_;
    const std::string name_;
    const options options_;
};

}  // namespace floodgate::guard
