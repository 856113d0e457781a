// The HTTP server: the listening sockets, an event loop on each thread, and the pools for work that
// blocks.

#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/services.hpp"
#include "guard/addresses.hpp"
#include "guard/unknown_tokens.hpp"
#include "http/client_counts.hpp"
#include "http/figures.hpp"
#include "http/pools.hpp"
#include "http/server_options.hpp"
#include "push/mailroom.hpp"

namespace floodgate::http {

class event_loop;

class server {
public:
    // Binds and listens, but serves nothing yet. Throws std::runtime_error: bad address, port in
    // use, bad certificate.
    server(api::services& with, push::mailroom& mailroom, const guard::trusted_proxies& proxies,
           const server_options& options);
    ~server();

    void start();
    // Stops gracefully: accepts no connections, answers the requests under way, then ends.
    void stop();

    // "http://127.0.0.1:8080", with the actual port.
    const std::string& address() const { return address_; }
    // Where operators' calls are answered: address(), unless they have a listener of their own.
    const std::string& operator_address() const { return operator_address_; }
    figures read_figures() const;  // of all loops together
    std::size_t pool_waiting() const { return pools_.waiting(); }

    bool uses_tls() const { return !options_.tls_certificate_file.empty(); }
    // Reads certificate and key again, for future connections. Throws std::runtime_error if they
    // are missing or do not fit together; the present ones stay in use.
    void reload_certificate();

private:
    const server_options options_;
    client_counts clients_, operator_clients_;
    std::string address_, operator_address_;
    guard::unknown_tokens unknown_;
    pools pools_;
    std::vector<std::unique_ptr<event_loop>> loops_;
    std::vector<std::thread> threads_;
};

// Throws std::runtime_error if the files are missing or do not fit together.
void check_certificate(const std::string& certificate_file, const std::string& key_file);

// One core is left to the journal, the clerk and the pools: see docs/adr/0002.
std::size_t default_loops();

}  // namespace floodgate::http
