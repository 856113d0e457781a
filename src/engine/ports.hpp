// What differs between the modes and is handed to the server: the stores, the turnstile, the lines
// of promises and the node. shop_server builds everything else, for both modes.
//
// Ports are built in two steps, because ports and storefront need each other: first the stores;
// then, once the storefront and the timed jobs exist, join().

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
#include "points/accounts.hpp"
#include "shop/in_flight.hpp"
#include "shop/node.hpp"

namespace floodgate::engine {

// The lines of promises between the gate and the ledger, with the clerks that enter them: one
// journal, or the partitions that this node keeps.
class promise_lines {
public:
    virtual ~promise_lines() = default;
    virtual void start() = 0;
    // Enters durable promises for at most `clerk.drain_ms`. The rest is entered after the next
    // start or by another node. Idempotent.
    virtual void stop() = 0;

    virtual shop::in_flight& in_flight() = 0;
    virtual clerk::figures read_figures() const = 0;  // any thread; of all lines together
};

class ports {
public:
    virtual ~ports() = default;

    virtual ledger::ledger& book() = 0;
    // The same for the timed jobs, which one node runs at a time: ledger/fenced_database.hpp.
    virtual ledger::ledger& timed_book() = 0;
    virtual points::accounts* points() = 0;  // null: the shop has none
    virtual gate::turnstile& gate() = 0;
    virtual guard::ticket_office& tickets() = 0;
    virtual shop::node& node() = 0;  // must not be called before join()
    virtual promise_lines& lines() = 0;

    // To be called once.
    virtual void join(const local_shop& here, jobs::timed_jobs& jobs) = 0;
    // After join(): loads what the gate must hold before the first purchase. Throws
    // std::runtime_error when ledger or journal cannot be read.
    virtual void load_gate() = 0;

    virtual void start() = 0;
    virtual void stop() = 0;  // Idempotent

    // What an acknowledgement survives, one line each. A line about something weaker than it should
    // be begins with "weak:". Throws std::runtime_error if the settings forbid to start with it.
    virtual std::vector<std::string> durability() = 0;
    // May block. Empty: the gate does not answer.
    virtual std::optional<gate_sight> look_at_gate() = 0;
    // Fills in the figures that only this mode has. Any thread.
    virtual void measure(metrics_sources& to) = 0;
};

// Both throw with one clear line when something is missing, broken or in use. Their arguments must
// outlive the ports.

// Opens the ledger and the points in SQLite, and the journal.
std::unique_ptr<ports> make_embedded_ports(const settings& with, const even_clock& clock);
// Finds Redis, the database and, if it is the queue, RabbitMQ; brings the schema up to date.
std::unique_ptr<ports> make_clustered_ports(const settings& with, const even_clock& clock);

}  // namespace floodgate::engine
