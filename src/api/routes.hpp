// Every call there is: verb, path, who may make it, and where it is answered. The one table.
//
// http/request_desk.cpp follows it; no other place knows a path.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/services.hpp"

namespace floodgate::api {

// buyer: whoever is logged in; ticket: whoever brings one, see ws_api.hpp
enum class access : std::uint8_t { open = 1, buyer, admin, ticket };
// Where handlers run. password: for what hashes. admin: a rush of buyers must not hold up the admin
// who wants to pause the sale.
enum class pool : std::uint8_t { general = 1, password, admin };
inline constexpr std::uint8_t pools = 3;

// What the event loop answers itself, because it never waits. `order` is answered there when the
// order changed lately or the client wants to wait for a change, otherwise by its handler; the
// others have no handler.
enum class on_loop : std::uint8_t { no = 1, healthz, time, rounds, sale, purchase, order, socket };

// What buyers and strangers have to say is short; admins describe products.
inline constexpr std::size_t short_body_bytes_max = 4096;

struct route {
    api::verb verb;
    std::string_view path;  // "/api/v1/sales/{id}": {id} and {no} stand for a number
    access needs;
    handler work = nullptr;
    pool where = pool::general;
    on_loop here = on_loop::no;

    // The longest body that the call has a use for; edge.body_bytes_max holds besides.
    std::size_t body_bytes_max() const {
        if (verb == api::verb::get) return 0;
        return needs == access::admin ? std::numeric_limits<std::size_t>::max()
                                      : short_body_bytes_max;
    }
    bool needs_login() const { return needs == access::buyer || needs == access::admin; }
};

std::span<const route> routes();

struct route_match {
    const api::route* route = nullptr;  // null: nothing, or not with this verb
    std::int64_t id = 0;                // the number in the path; 0: the path has none

    std::vector<std::int64_t> ids() const {
        return id ? std::vector{id} : std::vector<std::int64_t>{};
    }
};

// A number in a path is 1 to 2^63-1, digits only, without leading zeros; otherwise the path is not
// known. Does not allocate: every request is looked up here.
route_match match(verb v, std::string_view path);

// The verbs that the path knows, for the Allow header of a 405: "GET, POST". Empty: it is not
// known.
std::string allowed_verbs(std::string_view path);

const char* to_text(verb v);  // "GET"

}  // namespace floodgate::api
