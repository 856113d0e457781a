// What the handlers work with. Built by main, owned by it, outlives every connection.

#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "edge/mailroom.hpp"
#include "edge/reply.hpp"
#include "edge/showcase.hpp"
#include "gate/turnstile.hpp"
#include "guard/passwords.hpp"
#include "guard/rate_limiter.hpp"
#include "guard/sessions.hpp"
#include "guard/tickets.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::edge {

struct services {
    floodgate::clock& clock;
    gate::turnstile& turnstile;
    ledger::ledger& ledger;
    guard::sessions& sessions;
    guard::passwords& passwords;
    guard::rate_limiter& login_by_address;
    guard::rate_limiter& login_by_phone;
    guard::rate_limiter& purchase_by_address;
    guard::rate_limiter& purchase_by_user;
    edge::showcase& showcase;
    std::mutex& catalogue_mutex;  // admins change one thing at a time: ledger, gate, showcase
    edge::mailroom& mailroom;
    guard::tickets& tickets;
    milliseconds login_lifetime;
    // For /readyz and /metrics.
    std::function<std::string()> readiness;     // empty: ready; otherwise why not
    std::vector<std::string> durability;        // what holds, one line each
    std::function<std::string()> metrics_text;  // Prometheus text format
};

// Runs on the blocking pool, may block.
using handler = reply (*)(services&, const call&);

}  // namespace floodgate::edge
