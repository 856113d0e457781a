// What the handlers work with. Built by main, owned by it, outlives every connection.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alarm/board.hpp"
#include "api/reply.hpp"
#include "api/showcase.hpp"
#include "base/clock.hpp"
#include "gate/turnstile.hpp"
#include "guard/passwords.hpp"
#include "guard/rate_limiter.hpp"
#include "guard/sessions.hpp"
#include "guard/ticket_office.hpp"
#include "ledger/ledger.hpp"
#include "sale/balance.hpp"
#include "shop/catalogue_desk.hpp"
#include "shop/checkout.hpp"
#include "shop/ledger_health.hpp"
#include "shop/node.hpp"
#include "shop/order_lookup.hpp"
#include "shop/recent_orders.hpp"
#include "shop/settlement.hpp"

namespace floodgate::api {

// What the timed jobs do for the handlers.
struct clerks_help {
    std::function<sale::reconciliation()> reconciliation;  // the latest look
    // Looks now; not_found.
    std::function<result<sale::balance>(sale::sale_id)> reconcile;
    // What was done, a sentence each. The audit line is made from what the ledger did.
    std::function<result<ledger::repair_report>(
        sale::sale_id, const std::string& note,
        const ledger::audit_maker<ledger::repair_report>& signed_by)>
        repair;
};

// For /readyz.
struct readiness {
    std::string why_not;                  // purchases are not accepted; empty: they are
    std::vector<std::string> warnings{};  // what a person should look at, one line each
};

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
    api::showcase& showcase;
    shop::catalogue_desk& desk;  // through which the catalogue is changed
    shop::recent_orders& recent;
    shop::order_lookup& orders;
    shop::checkout& checkout;
    const shop::settlement& settlement;
    shop::ledger_health& ledger_health;
    guard::ticket_office& tickets;
    milliseconds login_lifetime;
    alarm::board& alarms;
    clerks_help clerk;
    shop::node& node;
    // For /readyz and /metrics.
    std::function<api::readiness()> readiness;
    std::vector<std::string> durability;        // what holds, one line each
    std::function<std::string()> metrics_text;  // Prometheus text format
};

// Runs on the blocking pool, may block.
using handler = reply (*)(services&, const call&);

}  // namespace floodgate::api
