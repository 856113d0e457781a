// The one table of calls: verb, path, who may make the call, and where it is answered.
//
// http/request_desk.cpp follows it; no other code knows a path.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/permissions.hpp"
#include "api/services.hpp"

namespace floodgate::api {

// What a call is charged to, by user. Purchases and log-ins have limits of their own. messages: of
// payment channels, by address, and only if they are refused.
enum class budget : std::uint8_t { none = 1, lookups, moves, tickets, messages };

// Calls that the event loop answers itself, because they never wait. `order` is answered there if
// the order changed lately or the client wants to wait for a change, otherwise by its handler;
// `picture` if it is in memory;
// `metrics` as long as the page is new enough. The others have no handler.
enum class on_loop : std::uint8_t {
    no = 1,
    healthz,
    readyz,
    metrics,
    openapi,
    time,
    rounds,
    ended_rounds,
    shop,
    sale,
    purchase,
    order,
    picture,
    socket
};

// Bodies of buyers and strangers are short; admins send descriptions of products.
inline constexpr std::size_t short_body_bytes_max = 4096;
inline constexpr std::size_t message_bytes_max = 16'384;
// A bill has some 300 bytes for each payment.
inline constexpr std::size_t bill_bytes_max = 64 << 20;

struct route {
    api::verb verb;
    std::string_view
        path;  // "/api/v1/sales/{id}": {id} and {no} stand for a number, {name} for a text
    access needs;
    handler work = nullptr;
    pool where = pool::general;
    on_loop here = on_loop::no;
    budget charged = budget::none;
    opener first = nullptr;  // instead of `work`: a call in two steps
    // If not 0, the body is not JSON but a file (text/csv, application/octet-stream,
    // application/x-ndjson, a picture) of up to so many bytes.
    std::size_t file_bytes_max = 0;

    // The longest body that the call needs; edge.body_bytes_max also applies, except to files.
    std::size_t body_bytes_max() const {
        if (takes_file()) return file_bytes_max;
        if (verb == api::verb::get) return 0;
        if (takes_messages()) return message_bytes_max;
        return needs == access::buyer || needs == access::self || needs == access::open
                   ? short_body_bytes_max
                   : std::numeric_limits<std::size_t>::max();
    }
    constexpr bool takes_file() const { return file_bytes_max != 0; }
    // Whether payment channels make this call. Its body need not be JSON.
    bool takes_messages() const { return charged == budget::messages; }
    bool needs_login() const { return needs != access::open && needs != access::ticket; }
    // Whether the call is for operators, and so on the operators' address if there is one.
    bool is_for_operators() const {
        return is_for_staff(needs) || here == on_loop::readyz || here == on_loop::metrics;
    }
};

std::span<const route> routes();

struct route_match {
    const api::route* route = nullptr;  // null: no such path, or not with this verb
    std::int64_t id = 0;                // the number in the path; 0: the path has none
    std::string_view name{};            // the text in the path's {name} place, as sent

    std::vector<std::int64_t> ids() const {
        return id ? std::vector{id} : std::vector<std::int64_t>{};
    }
};

// A number in a path is 1 to 2^63-1, digits only, without leading zeros; otherwise the path is
// unknown. Does not allocate, because it runs for every request.
route_match match(verb v, std::string_view path);

// The longest file that may be sent to this path; 0: none. Asked for every POST and PUT before its
// body is read, so it looks only at the few routes that take files.
std::size_t file_bytes_max(verb v, std::string_view path);

// Which calls a listener answers.
enum class door : std::uint8_t { everything = 1, no_operators };
inline bool is_shown(const route& r, door at) {
    return at == door::everything || !r.is_for_operators();
}

// The verbs of the path, for the Allow header of a 405: "GET, POST". Empty: the path is unknown, or
// this listener does not answer it.
std::string allowed_verbs(std::string_view path, door at = door::everything);

const char* to_text(verb v);  // "GET"

}  // namespace floodgate::api
