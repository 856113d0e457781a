// The points service as a running server.

#pragma once

#include <string>

#include "http/side_server.hpp"
#include "points/service.hpp"

namespace floodgate::commands {

class points_server {
public:
    struct options {
        std::string listen;  // HOST:PORT; port 0 takes a free one
        std::string secret;
    };

    // Serves from now on. `book` must outlive it. Throws with one clear line: the port is taken.
    points_server(points::accounts& book, options o);

    std::string address() const { return "http://" + server_.address(); }

private:
    http::side_response answer(const http::side_request& r) const;

    const points::service service_;
    http::side_server server_;  // its handlers use the service
};

}  // namespace floodgate::commands
