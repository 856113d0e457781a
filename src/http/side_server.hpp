// A plain HTTP/1.1 server for programs beside the shop: the payment sandbox, the points service.
//
// It favours brevity over speed. Handlers are functions from request to response; they may block,
// and a few of them run at once. Every client has limits of size, count and time.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::http {

using header_fields = std::vector<std::pair<std::string, std::string>>;

struct side_request {
    std::string verb;    // "GET", "POST" ...
    std::string target;  // as sent: the path, and the query if there is one
    header_fields headers;
    std::string body;

    std::string_view path() const;   // without the query
    std::string_view query() const;  // without the '?'
    // The first of this name, in any case of letters; empty: there is none.
    std::string_view header(std::string_view name) const;
};

struct side_response {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::string body{};
    header_fields headers{};
};

struct side_options {
    std::string listen;         // HOST:PORT; port 0 takes a free one
    std::size_t threads = 4;    // so many handlers run at once
    std::size_t clients = 200;  // more are turned away
    std::size_t body_bytes_max = 1 << 20;
    milliseconds patience{15'000};  // for a request to come, and for its answer to be taken
};

class side_server {
public:
    // What the handler throws is logged, and the client gets 500.
    using handler = std::function<side_response(const side_request&)>;

    // Serves from now on. Throws std::runtime_error like listen_on().
    side_server(side_options o, handler answer);
    // Cuts every client off and waits for the handlers at work.
    ~side_server();
    side_server(const side_server&) = delete;
    side_server& operator=(const side_server&) = delete;

    const std::string& address() const;  // "127.0.0.1:8090": with the actual port

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace floodgate::http
