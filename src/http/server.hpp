// The front door: the listening sockets, an event loop per thread, and the pools for what blocks.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/event_loop.hpp"

namespace boost::asio {
class thread_pool;
}

namespace floodgate::http {

struct server_options {
    std::string listen = "127.0.0.1:8080";  // host:port, [v6]:port; port 0: any free one
    std::size_t loops = 0;                  // event-loop threads; 0: one per core but one
    std::size_t pool_threads = 4;           // for what waits for the database
    std::size_t password_threads = 1;       // each holds the memory of one Argon2id at a time
    std::size_t pool_queue_max = 1000;      // waiting for a pool thread; past it: busy
    std::size_t connections_max = 20'000;   // in all
    milliseconds stop_within{10'000};       // for requests under way when the server stops
    http_limits limits;
    http::timeouts timeouts;
    std::string tls_certificate_file, tls_key_file;  // both or neither
};

class server {
public:
    // Binds and listens, serves nothing yet. Throws std::runtime_error: bad address, port taken,
    // bad certificate.
    server(api::services& with, push::mailroom& mailroom, const guard::trusted_proxies& proxies,
           server_options options);
    ~server();

    void start();
    // Graceful: no new connections, requests under way are answered, then everything ends.
    void stop();

    // "http://127.0.0.1:8080", with the port that was really taken.
    const std::string& address() const { return address_; }
    event_loop::figures read_figures() const;  // of all loops together
    std::size_t pool_waiting() const { return general_waiting_ + password_waiting_; }

private:
    bool enqueue(api::pool which, std::function<void()> work);

    server_options options_;
    std::string address_;
    std::unique_ptr<boost::asio::thread_pool> general_, password_;
    std::atomic<std::size_t> general_waiting_{0}, password_waiting_{0};
    std::vector<std::unique_ptr<event_loop>> loops_;
    std::vector<std::thread> threads_;
};

// One core is left to the journal, the clerk and the pools: see docs/adr/0002.
std::size_t default_loops();

}  // namespace floodgate::http
