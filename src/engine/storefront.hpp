// Everything between the network and the gate and ledger, for both modes.
//
// Built in two steps, because the clerks report to the mailroom and the handlers use the timed
// jobs: first the parts that remember and show, then, with open(), the handlers and the listeners.

#pragma once

#include <functional>
#include <optional>

#include "api/services.hpp"
#include "api/web_pages.hpp"
#include "base/periodic_task.hpp"
#include "engine/account_watch.hpp"
#include "engine/live_sampler.hpp"
#include "engine/local_shop.hpp"
#include "engine/metrics_page.hpp"
#include "engine/settings.hpp"
#include "http/server.hpp"
#include "jobs/timed_jobs.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::engine {

class storefront {
public:
    struct world {
        even_clock& clock;
        ledger::ledger& book;
        gate::turnstile& gate;
        guard::ticket_office& tickets;
        shop::node& node;          // used from open() on
        points::accounts* points;  // null: the shop has none
    };
    // Throws std::runtime_error with one clear line when the keys of a channel are not good.
    storefront(const settings& s, const world& w);

    // Loads the logins from the ledger; throws std::runtime_error.
    void restore_logins();
    // The parts that the node updates.
    local_shop local();
    // Loads sales that were published without the desk; throws std::runtime_error.
    void load_sales();

    struct opening {
        jobs::timed_jobs& timed_jobs;
        std::vector<std::string> durability;            // ports::durability()
        std::function<api::readiness()> readiness;      // whether the node sells
        std::function<store_sight()> stores;            // how the stores are
        std::function<void(metrics_sources&)> measure;  // fills in what only the mode knows
    };
    // Binds the port; throws std::runtime_error with one clear line.
    void open(opening o);

    // Serves until SIGINT or SIGTERM, which must be blocked in every thread, and stops serving.
    // SIGHUP, to be blocked as well, has log file, certificate and limits read again: reload.cpp.
    void serve();

    // What SIGHUP does: reads the configuration again. Throws std::runtime_error when it is not
    // good.
    std::function<settings()> reread;

    // Removes handlers and listeners, so that nothing calls the clerks any more.
    void close() {
        look_.stop();
        follow_switches_.stop();
        sampling_.stop();
        access.stop();
        server_.reset();
    }

    std::string address() const { return server_->address(); }
    std::string operator_address() const { return server_->operator_address(); }
    shop::catalogue_desk& desk() { return desk_; }

    guard::sessions sessions;
    guard::passwords passwords;
    guard::login_limits login_limits;
    guard::rate_limiter login_by_address, register_by_address, purchase_by_address,
        purchase_by_user, lookup_by_user, move_by_user, ticket_by_user, message_by_address,
        call_by_key;
    shop::access_register access;
    guard::security_events events;
    api::showcase showcase;
    shop::recent_orders recent;
    push::mailroom mailroom;
    api::live_view live;
    store::curl_caller caller;  // for the channels
    pay::channels channels;

private:
    metrics_sources read_all();
    std::string metrics();
    void sample();
    api::readiness readiness() const;
    void keep_up(int beat);
    bool reload_certificate();
    void watch_certificate();
    void reload();
    void take_over(const settings& next);
    api::readiness with_switches(api::readiness r) const;

    const settings& with_;
    const world world_;
    guard::trusted_proxies proxies_;
    shop::catalogue_desk desk_;
    std::atomic<bool> ready_{false};
    std::map<std::string, std::string> values_;  // of the configuration in use
    std::string certificate_seen_;               // when its files were changed
    std::optional<opening> opening_;
    shop::order_lookup orders_;
    shop::bill_desk bills_;
    api::picture_shelf pictures_;
    shop::ledger_health ledger_health_;
    shop::switchboard switches_;
    std::optional<shop::checkout> checkout_;
    std::optional<shop::message_desk> messages_;
    std::optional<api::operator_pages> operators_;
    account_watch accounts_;
    periodic_task look_;  // asks whether the node sells, for operators_
    periodic_task follow_switches_;
    live_sampler sampler_;
    periodic_task sampling_;  // for the live view
    std::optional<api::web_pages> pages_;
    std::optional<api::services> services_;
    std::optional<http::server> server_;  // last: it uses everything above
};

}  // namespace floodgate::engine
