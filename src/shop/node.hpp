// This process as one node among others: its duties for all nodes, and what the others must be
// told.
//
// A lone node has no other nodes to tell and is always on duty; a node of a cluster uses leases and
// the bus. Every caller uses this one interface, so no caller asks which mode it runs in.

#pragma once

#include <optional>
#include <span>
#include <string>

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

    // Whether this node does the timed jobs (deadlines, retries, inquiries, rounds).
    virtual bool on_duty() const = 0;

    // Orders have moved: tells the clients of this node and of the others. Never blocks for long.
    virtual void tell(std::span<const sale::order_news> news) = 0;

    // The catalogue was changed in the ledger: makes buyers on every node see it soon.
    virtual void catalogue_changed() = 0;
    // Orders were changed in another way than by moves, so what nodes remember may be wrong.
    virtual void book_repaired() = 0;

    // The gate differs from the ledger. True: it is being rebuilt from the ledger. False: this mode
    // has no rebuild, so the sale must be paused.
    virtual result<bool> gate_differs(sale::sale_id id) = 0;

    // API keys were changed, or users disabled or enabled: the other nodes read the list again.
    virtual void access_changed() = 0;

    // A user logged in or out here: this node's sessions know it at once, the other nodes are told.
    virtual void login_made(const sale::login& l) = 0;
    virtual void login_removed(const sale::token_hash& hash) = 0;
    // What this node saw in the last second, for the live view of every node. May get lost.
    virtual void sampled(const std::string& text) { (void)text; }
    // Whether a log-in that is unknown here may be known elsewhere. find_login() may block.
    // not_found: it is certainly unknown; store_unavailable: this cannot be known now.
    virtual bool knows_more_logins() const = 0;
    virtual result<guard::identity> find_login(const sale::token_hash& hash, instant now) = 0;
};

}  // namespace floodgate::shop
