// The server: every long-lived object of a mode, in order of construction.

#pragma once

#include <memory>

#include "engine/settings.hpp"

namespace floodgate::engine {

class engine {
public:
    virtual ~engine() = default;

    // What an empty ledger needs before it can serve. Each prints what a person must know.
    virtual void create_first_admin() = 0;
    virtual void create_demo() = 0;

    // Serves until SIGINT or SIGTERM, which must be blocked in every thread. Then stops in order:
    // answers what was accepted, enters what is durable, closes the books.
    virtual void run() = 0;

    virtual std::string address() const = 0;
};

// Both throw with one clear line when something is missing, broken or taken.

// Opens ledger and journal, rebuilds the gate from both, loads the logins, binds the port.
std::unique_ptr<engine> make_embedded_engine(settings s);
// Finds Redis, the database and, if it is the queue, RabbitMQ; brings the schema up to date, loads
// the logins, binds the port.
std::unique_ptr<engine> make_clustered_engine(settings s);

}  // namespace floodgate::engine
