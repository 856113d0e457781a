// The server: every long-lived object, in order of construction. The modes differ only in the ports
// that the server is handed.

#pragma once

#include <memory>
#include <string>

#include "engine/ports.hpp"
#include "engine/store_health.hpp"
#include "engine/storefront.hpp"

namespace floodgate::engine {

class shop_server {
public:
    using make_ports = std::unique_ptr<ports> (*)(const settings&, const even_clock&);

    // Loads the gate and the log-ins, and binds the port. Throws with one clear line when something
    // is missing, broken or in use.
    shop_server(settings s, make_ports make);
    explicit shop_server(const settings& s);  // with the ports of the mode that the settings name
    ~shop_server();
    shop_server(const shop_server&) = delete;
    shop_server& operator=(const shop_server&) = delete;

    // Fill an empty ledger. Each prints what a person must know.
    // The file has the password to use; empty: a random one is kept in DATA/admin-password.
    void create_first_admin(const std::string& password_file);
    void create_demo();

    // Serves until SIGINT or SIGTERM, which must be blocked in every thread, also SIGHUP (see
    // storefront). Then stops in order: answers accepted requests, enters durable promises,
    // closes the stores.
    void run();

    // How SIGHUP reads the configuration; before run().
    void reread_with(std::function<settings()> reread) { front_.reread = std::move(reread); }

    std::string address() const { return front_.address(); }
    std::string operator_address() const { return front_.operator_address(); }

private:
    jobs::timed_jobs::world for_jobs();

    const settings with_;
    even_clock clock_;
    const std::unique_ptr<ports> ports_;
    store_health health_;
    storefront front_;
    jobs::timed_jobs jobs_;
};

}  // namespace floodgate::engine
