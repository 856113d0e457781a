// Every call there is: verb, path, who may make it, and where it is answered. The one table.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/services.hpp"

namespace floodgate::api {

// buyer: whoever is logged in; ticket: whoever brings one, see ws_api.hpp
enum class access : std::uint8_t { open = 1, buyer, admin, ticket };
enum class pool : std::uint8_t { general = 1, password };  // password: for what hashes

// Calls that never wait are answered by the event loop itself; they have no handler here.
enum class on_loop : std::uint8_t { no = 1, healthz, time, rounds, sale, purchase, socket };

struct route {
    api::verb verb;
    std::string_view path;  // "/api/v1/sales/{id}": {id} and {no} stand for a number
    access needs;
    handler work = nullptr;
    pool where = pool::general;
    on_loop here = on_loop::no;
};

std::span<const route> routes();

struct route_match {
    const api::route* route = nullptr;  // null: nothing, or not with this verb
    bool path_known = false;            // false: 404; true and no route: 405
    std::vector<std::int64_t> ids;      // the numbers in the path, in order
    std::string allow;                  // for the Allow header of a 405: "GET, POST"
};

// A number in a path is 1 to 2^63-1, digits only, without leading zeros; otherwise the path is not
// known.
route_match match(verb v, std::string_view path);

const char* to_text(verb v);  // "GET"

}  // namespace floodgate::api
