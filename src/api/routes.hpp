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
// What a call is charged to, by user. Purchases and log-ins have limits of their own.
enum class budget : std::uint8_t { none = 1, lookups, moves, tickets };

// What the event loop answers itself, because it never waits. `order` is answered there when the
// order changed lately or the client wants to wait for a change, otherwise by its handler;
// `metrics` as long as the page is new enough; the others have no handler.
enum class on_loop : std::uint8_t {
    no = 1,
    healthz,
    readyz,
    metrics,
    openapi,
    time,
    rounds,
    sale,
    purchase,
    order,
    socket
};

// What buyers and strangers have to say is short; admins describe products.
inline constexpr std::size_t short_body_bytes_max = 4096;

struct route {
    api::verb verb;
    std::string_view path;  // "/api/v1/sales/{id}": {id} and {no} stand for a number
    access needs;
    handler work = nullptr;
    pool where = pool::general;
    on_loop here = on_loop::no;
    budget charged = budget::none;
    opener first = nullptr;  // instead of `work`: a call in two steps

    // The longest body that the call has a use for; edge.body_bytes_max holds besides.
    std::size_t body_bytes_max() const {
        if (verb == api::verb::get) return 0;
        return needs == access::admin ? std::numeric_limits<std::size_t>::max()
                                      : short_body_bytes_max;
    }
    bool needs_login() const { return needs == access::buyer || needs == access::admin; }
    // For those who run the shop: on an address of their own, if there is one.
    bool is_for_operators() const {
        return needs == access::admin || here == on_loop::readyz || here == on_loop::metrics;
    }
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

// Which calls a listener answers.
enum class door : std::uint8_t { everything = 1, no_operators };
inline bool is_shown(const route& r, door at) {
    return at == door::everything || !r.is_for_operators();
}

// The verbs that the path knows, for the Allow header of a 405: "GET, POST". Empty: it is not
// known, or not shown at this door.
std::string allowed_verbs(std::string_view path, door at = door::everything);

const char* to_text(verb v);  // "GET"

}  // namespace floodgate::api
