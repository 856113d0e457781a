// The accounts as a service: answers one HTTP request with one call of the port. wire.hpp has the
// form of both. `floodgate points` serves it.
//
// Every call needs the shared secret; without it the answer is 401, whatever was asked. What is no
// call gets an error that is no word of errc: no_such_path, wrong_method, unauthorized.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "points/accounts.hpp"

namespace floodgate::points {

struct service_request {
    std::string_view verb;           // "POST"
    std::string_view path;           // without a query
    std::string_view authorization;  // the header's value
    std::string_view body;           // at most request_bytes_max: the server sees to it
};

struct service_response {
    unsigned status = 200;
    std::string body;  // JSON
    std::vector<std::pair<std::string, std::string>> headers{};
};

class service {
public:
    service(accounts& book, std::string secret) : book_(book), secret_(std::move(secret)) {}

    // Any thread; may block as long as the accounts do.
    service_response answer(const service_request& r) const;

private:
    bool knows_secret(std::string_view authorization) const;

    accounts& book_;
    const std::string secret_;
};

}  // namespace floodgate::points
