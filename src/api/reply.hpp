// An HTTP answer, and how errors look: application/problem+json with a stable `code`.

#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/call.hpp"
#include "base/iso_time.hpp"

namespace floodgate::api {

// A part of a text that never changes and that many answers share. It is not copied for a reader,
// however slowly it reads.
struct shared_text {
    std::shared_ptr<const std::string> whole{};
    std::string_view part{};  // of *whole
};
shared_text all_of(std::shared_ptr<const std::string> whole);

// Its content is body, shared.part and tail, one after the other. Most answers have a body only.
struct reply {
    int status = 200;
    std::string content_type = "application/json";
    std::string body{};
    shared_text shared{};
    std::string tail{};
    std::string headers{};  // further lines, each ending in \r\n

    std::size_t content_bytes() const { return body.size() + shared.part.size() + tail.size(); }
};
std::string content_of(const reply& r);  // as one text, for tests and for small answers

reply json_reply(int status, const boost::json::value& body);

// A page with its ETag, or 304 when the client has it already; then page() is not asked for it.
template <class Page>
reply page_reply(std::string_view if_none_match, const std::string& etag, Page page) {
    std::string headers = "ETag: " + etag + "\r\nCache-Control: no-cache\r\n";
    if (if_none_match.find(etag) != std::string_view::npos || if_none_match == "*")
        return {.status = 304, .headers = std::move(headers)};
    reply out = page();
    out.headers = std::move(headers);
    return out;
}

// What can go wrong, from 1. Status, code and titles are in one table in problem.cpp.
enum class problem : std::uint8_t {
    bad_request = 1,         // 400 broken JSON, wrong type, unknown field ...: `detail` says which
    unauthenticated,         // 401
    wrong_credentials,       // 401
    bad_signature,           // 401 a message of the shop's own checkout
    second_factor_required,  // 401 the password is right, `code` is missing or wrong
    forbidden,               // 403
    must_change_password,    // 403 another person knows the password
    second_factor_missing,   // 403 the role needs a second factor
    account_disabled,        // 403 the user was disabled by the shop
    not_started,             // 403 + starts_at
    not_found,               // 404
    unknown_sale,            // 404
    method_not_allowed,      // 405
    request_timeout,         // 408
    sold_out,                // 409
    already_ordered,         // 409 + order_no
    not_enough,              // 409 + free
    not_enough_points,       // 409 the buyer has fewer points than the order costs
    cooling_down,            // 409 + until, until_ms, retry_after_ms: the buyer gave units back
    already_exists,          // 409
    conflict,                // 409 the present state does not allow it
    other_amount,            // 409 a message of the shop's own checkout names another amount
    late_payment,            // 409 the order was given up, or paid in another way
    ended,                   // 410
    events_gone,             // 410 + first_id: events that the caller has not seen were deleted
    payload_too_large,       // 413
    uri_too_long,            // 414
    unsupported_media_type,  // 415
    expectation_failed,      // 417 an Expect header other than 100-continue
    invalid,                 // 422 understood, but the values do not make sense
    key_reused,              // 422
    over_limit,              // 422 + limit
    paused,                  // 423
    switched_off,            // 423 an admin has turned this off for the whole shop
    upgrade_required,        // 426
    too_many_requests,       // 429 + retry_after_ms
    header_too_large,        // 431
    internal,                // 500
    busy,                    // 503 + retry_after_ms: nothing was done
    undecided,               // 503 + retry_after_ms, order_no: a purchase that may have succeeded
};
inline constexpr std::uint8_t problems = 40;

// `extra` members (detail, field, order_no, starts_at, until, retry_after_ms) are added to the
// body. retry_after_ms also becomes a Retry-After header in whole seconds; a 401 names its scheme.
reply problem_reply(problem p, language lang, boost::json::object extra = {});

int status_of(problem p);
const char* code_of(problem p);
const char* title_of(problem p, language lang);
const char* reason_phrase(int status);

using floodgate::parse_iso;
using floodgate::to_iso;

}  // namespace floodgate::api
