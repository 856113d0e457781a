// What differs between the modes, and what the server is handed: the stores, the turnstile, the
// lines of promises and the node among others. Everything else is built once, by shop_server.
//
// Built in two steps, because both sides need each other: first the stores, then, once the
// storefront and the timed jobs stand, join().

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/even_clock.hpp"
#include "clerk/desk.hpp"
#include "engine/local_shop.hpp"
#include "engine/metrics_page.hpp"
#include "engine/readiness.hpp"
#include "engine/settings.hpp"
#include "gate/turnstile.hpp"
#include "guard/ticket_office.hpp"
#include "ledger/ledger.hpp"
#include "shop/in_flight.hpp"
#include "shop/node.hpp"

namespace floodgate::engine {

// The lines of promises between the gate and the ledger, with the clerks that enter them: one
// journal, or the partitions that this node keeps.
class promise_lines {
public:
    virtual ~promise_lines() = default;
    virtual void start() = 0;
    // Enters what is durable, for `clerk.drain_ms` at most. The rest is entered by the next start,
    // or by another node. Idempotent.
    virtual void stop() = 0;

    virtual shop::in_flight& in_flight() = 0;
    virtual clerk::figures read_figures() const = 0;  // any thread; of all lines together
};

class ports {
public:
    virtual ~ports() = default;

    virtual ledger::ledger& book() = 0;
    // The same for the timed jobs, which are one node's at a time: ledger/fenced_database.hpp.
    virtual ledger::ledger& timed_book() = 0;
    virtual gate::turnstile& gate() = 0;
    virtual guard::ticket_office& tickets() = 0;
    virtual shop::node& node() = 0;  // of use after join()
    virtual promise_lines& lines() = 0;

    // Once.
    virtual void join(const local_shop& here, jobs::timed_jobs& jobs) = 0;
    // After join(): what the gate must hold before anybody buys, where it does not hold it by
    // itself. Throws std::runtime_error when ledger or journal cannot be read.
    virtual void load_gate() = 0;

    virtual void start() = 0;
    virtual void stop() = 0;  // Idempotent

    // What an acknowledgement survives, one line each; what is weaker than it should be begins with
    // "weak:". Throws std::runtime_error where that is reason enough not to start.
    virtual std::vector<std::string> durability() = 0;
    // May block. Nothing: the gate does not answer.
    virtual std::optional<gate_sight> look_at_gate() = 0;
    // Fills in what only the mode knows. Any thread.
    virtual void measure(metrics_sources& to) = 0;
};

// Both throw with one clear line when something is missing, broken or taken. What they are given
// must outlive the ports.

// Opens the ledger in SQLite and the journal.
std::unique_ptr<ports> make_embedded_ports(const settings& with, const even_clock& clock);
// Finds Redis, the database and, if it is the queue, RabbitMQ; brings the schema up to date.
std::unique_ptr<ports> make_clustered_ports(const settings& with, const even_clock& clock);

}  // namespace floodgate::engine
