// What both modes share: everything between the network and the gate and the ledger.
//
// Built in two steps, because the clerks tell the mailroom of their work and the handlers ask the
// clerks for help: first what remembers and shows, then, with open(), the doors.

#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "care.hpp"
#include "edge/server.hpp"
#include "edge/services.hpp"
#include "metrics_page.hpp"
#include "settings.hpp"

namespace floodgate {

class front {
public:
    struct world {
        even_clock& clock;
        ledger::ledger& book;
        gate::turnstile& gate;
        guard::ticket_office& tickets;
    };
    front(const settings& s, const world& w);

    // Loads the logins from the ledger; throws std::runtime_error.
    void restore_logins();
    // The same later, when log-outs may have been missed.
    void reload_logins();
    // Buyers see the catalogue as it is now. A failure is logged.
    void show();

    struct opening {
        floodgate::care& care;
        edge::fellow_nodes fellows{};
        std::vector<std::string> durability;            // what holds, one line each
        std::function<std::string()> readiness{};       // empty text: ready; otherwise why not
        std::function<void(metrics_sources&)> measure;  // fills in what only the mode knows
    };
    // Binds the port; throws std::runtime_error with one clear line.
    void open(opening o);

    // Serves until SIGINT or SIGTERM, which must be blocked in every thread, and stops serving.
    // `beat` is called twice a second.
    void serve(const std::function<void()>& beat);

    // The doors are gone: nothing calls the clerks any more.
    void close() { server_.reset(); }

    std::string address() const { return server_->address(); }

    guard::sessions sessions;
    guard::passwords passwords;
    guard::rate_limiter login_by_address, login_by_phone, purchase_by_address, purchase_by_user;
    edge::showcase showcase;
    std::mutex catalogue_mutex;
    edge::mailroom mailroom;
    pay::channels channels;

private:
    edge::clerks_help help(care& by);
    std::string metrics();
    std::string why_not_ready() const;

    const settings& with_;
    const world world_;
    guard::trusted_proxies proxies_;
    edge::warm_up_progress warm_up_;
    std::atomic<bool> ready_{false};
    std::optional<opening> opening_;
    std::optional<edge::services> services_;
    std::optional<edge::server> server_;  // last: it uses everything above
};

}  // namespace floodgate
