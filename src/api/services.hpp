// What the handlers work with. Built and owned by engine::storefront; outlives every connection.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alarm/board.hpp"
#include "api/live_view.hpp"
#include "api/operator_pages.hpp"
#include "api/picture_shelf.hpp"
#include "api/pool.hpp"
#include "api/reply.hpp"
#include "api/showcase.hpp"
#include "base/clock.hpp"
#include "base/config_file.hpp"
#include "gate/turnstile.hpp"
#include "guard/login_limits.hpp"
#include "guard/passwords.hpp"
#include "guard/rate_limiter.hpp"
#include "guard/security_events.hpp"
#include "guard/sessions.hpp"
#include "guard/ticket_office.hpp"
#include "ledger/ledger.hpp"
#include "points/accounts.hpp"
#include "shop/access_register.hpp"
#include "shop/bill_desk.hpp"
#include "shop/catalogue_desk.hpp"
#include "shop/checkout.hpp"
#include "shop/ledger_health.hpp"
#include "shop/letter_desk.hpp"
#include "shop/message_desk.hpp"
#include "shop/node.hpp"
#include "shop/order_lookup.hpp"
#include "shop/recent_orders.hpp"
#include "shop/reconciliation_desk.hpp"
#include "shop/switchboard.hpp"

namespace floodgate::api {

class web_pages;  // api/web_pages.hpp

struct services {
    floodgate::clock& clock;
    gate::turnstile& turnstile;
    ledger::ledger& ledger;
    guard::sessions& sessions;
    guard::passwords& passwords;
    guard::rate_limiter& login_by_address;
    guard::login_limits& login_limits;
    guard::rate_limiter& register_by_address;
    guard::rate_limiter& purchase_by_address;
    guard::rate_limiter& purchase_by_user;
    guard::rate_limiter& lookup_by_user;
    guard::rate_limiter& move_by_user;
    guard::security_events& events;
    guard::rate_limiter& ticket_by_user;
    guard::rate_limiter& message_by_address;  // messages that were refused
    guard::rate_limiter& call_by_key;
    shop::access_register& access;  // API keys and disabled users
    api::showcase& showcase;
    shop::catalogue_desk& desk;  // through which the catalogue is changed
    shop::recent_orders& recent;
    shop::order_lookup& orders;
    shop::checkout& checkout;
    shop::message_desk& messages;
    shop::bill_desk& bills;
    shop::ledger_health& ledger_health;
    shop::switchboard& switches;
    guard::ticket_office& tickets;
    milliseconds login_lifetime;
    alarm::board& alarms;
    shop::letter_desk& letters;
    shop::reconciliation_desk& reconciliation;
    shop::node& node;
    operator_pages& operators;  // for /readyz and /metrics
    picture_shelf& pictures;
    live_view& live;                                           // the last hour, for the console
    points::accounts* points = nullptr;                        // null: the shop has none
    const std::vector<config_entry>* configuration = nullptr;  // in force; null: none was read
    page shop{};                                               // how one can pay, for GET /shop
    const web_pages* pages = nullptr;  // null: the program was built without, as in tests
    std::vector<sale::role> second_factor_roles{};  // that need a second factor
};

// Runs on a pool and may block.
using handler = reply (*)(services&, const call&);
// The same for the first of two steps.
using opener = first_answer (*)(services&, const call&);

}  // namespace floodgate::api
