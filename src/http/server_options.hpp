// The options of the HTTP server.

#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::http {

struct http_limits {
    std::size_t head_bytes_max = 8192;    // request line and header fields
    std::size_t target_bytes_max = 2048;  // the path and query of the request line
    std::size_t body_bytes_max = 65'536;  // files have limits of their own: api/routes.hpp
};

// How long a client may take.
struct timeouts {
    milliseconds idle{75'000};
    milliseconds head{10'000};  // from its first byte, so that sending slowly gains no time
    milliseconds body{20'000};  // a file gets more, by its length
    milliseconds write{30'000};
};

// Threads for work that blocks, and how much of it may wait.
struct pool_sizes {
    std::size_t general_threads = 4;   // for work that waits for the database
    std::size_t password_threads = 1;  // each holds the memory of one Argon2id at a time
    std::size_t admin_threads = 2;     // admins do not queue behind buyers
    std::size_t account_threads = 2;   // for looking up the phone numbers of log-ins
    std::size_t move_threads = 64;     // cancel, refund: those at work share a commit
    std::size_t channel_threads = 64;  // paying, which may wait for a payment channel
    std::size_t message_threads = 16;  // for what payment channels tell us
    std::size_t queue_max = 1000;      // requests waiting for one pool; above it: busy
};

// How many clients there may be at once, over all loops together.
struct client_limits {
    // Connections and WebSockets for which the process has descriptors (engine/descriptor_budget).
    std::size_t clients_max = std::numeric_limits<std::size_t>::max();
    // The same of one IPv4 address or one IPv6 /64. Proxies of ours are not counted. A tenth of
    // all: enough for a campus behind one address, too little to keep everybody else out.
    std::size_t per_address_max = 2000;
};

// Connections to the operators' listener. They are counted separately, so buyers cannot take them.
inline constexpr std::size_t operator_connections_max = 64;

struct server_options {
    std::string listen = "127.0.0.1:8080";  // host:port, [v6]:port; port 0: any free one
    std::string operator_listen;            // for operators' calls alone; empty: all on `listen`
    std::size_t loops = 0;                  // event-loop threads; 0: one for each core except one
    pool_sizes pools;
    std::size_t connections_max = 20'000;  // in all
    client_limits clients;
    milliseconds stop_within{10'000};  // for requests under way when the server stops
    http_limits limits;
    http::timeouts timeouts;
    std::string tls_certificate_file, tls_key_file;  // both or neither
    // How long browsers remember to use only TLS; 0: they are not told to.
    std::chrono::seconds tls_hsts{31'536'000};
    std::vector<std::string> cors_origins{};  // whose pages may call: cors.hpp
};

// The options of each loop.
struct loop_options {
    http_limits limits;
    http::timeouts timeouts;
    std::size_t connections_max = 20'000;
    bool hides_operators_calls = false;  // they have a listener of their own
    std::string fixed_lines{};           // header lines of every answer, each with its line end
    std::vector<std::string> cors_origins{};
};

}  // namespace floodgate::http
