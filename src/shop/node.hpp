// This process among others: what it does on behalf of all nodes, and what they must hear of.
//
// A lone node has no other to tell and is always on duty; a node of a cluster uses leases and the
// bus.
// Every caller uses this one interface, so nothing above it asks which mode it runs in.

#pragma once

#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "guard/sessions.hpp"
#include "sale/news.hpp"
#include "sale/user.hpp"

namespace floodgate::shop {

// Any thread.
class node {
public:
    virtual ~node() = default;

    // Whether the timed jobs (deadlines, retries, inquiries, rounds) are this node's.
    virtual bool on_duty() const = 0;

    // Orders moved: clients of this node and of the others hear of it. Never blocks for long.
    virtual void tell(std::span<const sale::order_news> news) = 0;

    // The catalogue was changed in the ledger: buyers see it soon, on every node.
    virtual void catalogue_changed() = 0;
    // Orders were changed otherwise than by moves: what is remembered of them may be wrong.
    virtual void book_repaired() = 0;

    // The gate holds something else than the ledger. True: it is being rebuilt from the ledger.
    // False: here the gate is the original and nothing rebuilds it; the sale must be paused.
    virtual result<bool> gate_differs(sale::sale_id id) = 0;

    // A user logged in or out here. The other nodes hear of it.
    virtual void login_made(const sale::login& l) = 0;
    virtual void login_removed(const sale::token_hash& hash) = 0;
    // Whether a log-in that is unknown here may be known elsewhere. find_login() may block;
    // not_found: it is certainly unknown; store_unavailable: that cannot be said now.
    virtual bool knows_more_logins() const = 0;
    virtual result<guard::identity> find_login(const sale::token_hash& hash, instant now) = 0;
};

}  // namespace floodgate::shop
