// The embedded server: every long-lived object, in order of construction.

#pragma once

#include <memory>

#include "settings.hpp"

namespace floodgate {

class engine {
public:
    // Opens ledger and journal, rebuilds the gate from both, loads the logins, binds the port.
    // Throws with one clear line when something is missing, broken or taken.
    explicit engine(settings s);
    ~engine();

    // What a fresh data directory needs before it can serve. Each prints what a person must know.
    void create_first_admin();
    void create_demo();

    // Serves until SIGINT or SIGTERM, which must be blocked in every thread. Then stops in order:
    // answers what was accepted, enters what is durable, closes the books.
    void run();

    std::string address() const;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace floodgate
