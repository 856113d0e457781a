#include "http/wire.hpp"

#include <fmt/chrono.h>
#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "sale/order_number.hpp"

namespace floodgate::http {
namespace {

// Every answer carries this: browsers must not guess the content type.
constexpr std::string_view common = "X-Content-Type-Options: nosniff\r\n";
// An answer must not be shown in a frame, nor load anything if a browser shows it as a page. These
// 99 bytes are left out of the answers to attempts to buy: a browser shows only what an address or
// a form led it to, and neither can send the Authorization header that such a request needs.
constexpr std::string_view for_pages =
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n";
constexpr std::string_view no_store = "Cache-Control: no-store\r\n";

api::problem problem_of(sale::answer a) {
    switch (a) {
    case sale::answer::key_reused: return api::problem::key_reused;
    case sale::answer::unknown_sale: return api::problem::unknown_sale;
    case sale::answer::paused: return api::problem::paused;
    case sale::answer::not_started: return api::problem::not_started;
    case sale::answer::ended: return api::problem::ended;
    case sale::answer::over_limit: return api::problem::over_limit;
    case sale::answer::not_enough: return api::problem::not_enough;
    case sale::answer::already_ordered: return api::problem::already_ordered;
    case sale::answer::cooling_down: return api::problem::cooling_down;
    case sale::answer::sold_out: return api::problem::sold_out;
    case sale::answer::busy: return api::problem::busy;
    case sale::answer::undecided: return api::problem::undecided;
    case sale::answer::accepted:
    case sale::answer::repeated: break;
    }
    std::abort();  // An acceptance is not a problem.
}

void write_request_id(std::string& out, const framing& f) {
    if (!f.request_id.empty()) out.append("X-Request-Id: ").append(f.request_id).append("\r\n");
}

void write_accepted(std::string& out, const sale::verdict& v, const framing& f) {
    char digits[20];
    const char* end = fmt::format_to(digits, FMT_COMPILE("{}"), v.order.value);
    const auto size = static_cast<std::size_t>(end - digits);
    constexpr std::string_view before = R"({"order_no":")";
    constexpr std::string_view after = R"(","status":"queued"})";
    out.append("HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\n")
        .append(f.date)
        .append(f.cors)
        .append(common)
        .append(no_store);
    write_request_id(out, f);
    if (!f.keep_alive) out.append("Connection: close\r\n");
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("Content-Length: {}\r\n\r\n"),
                   before.size() + size + after.size());
    out.append(before).append(digits, size).append(after);
}

bool has_body(const api::reply& r) { return r.status != 204 && r.status != 304; }

void write_head(std::string& out, const api::reply& r, std::size_t body_bytes, const framing& f,
                std::string_view further = {}) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("HTTP/1.1 {} {}\r\n"), r.status,
                   api::reason_phrase(r.status));
    if (has_body(r)) out.append("Content-Type: ").append(r.content_type).append("\r\n");
    out.append(f.date).append(f.cors).append(common).append(further);
    if (r.headers.find("Cache-Control:") == std::string::npos) out.append(no_store);
    out.append(r.headers);
    write_request_id(out, f);
    if (!f.keep_alive) out.append("Connection: close\r\n");
    if (has_body(r))
        fmt::format_to(std::back_inserter(out), FMT_COMPILE("Content-Length: {}\r\n"), body_bytes);
    out.append("\r\n");
}

void write_refusal(std::string& out, const api::reply& r, const framing& f) {
    write_head(out, r, r.body.size(), f);
    out.append(r.body);
}

// A problem built once, but for the order number at its end.
api::reply without_number(api::problem p, api::language lang) {
    api::reply r = api::problem_reply(p, lang);
    r.body.back() = ',';  // was the closing brace
    r.body.append(R"("order_no":")");
    return r;
}

// Buyers who click again and again get this answer. It is as common as sold_out, and must be as
// quick.
void write_already_ordered(std::string& out, sale::order_no order, api::language lang,
                           const framing& f) {
    static const api::reply in_en =
        without_number(api::problem::already_ordered, api::language::en);
    static const api::reply in_zh =
        without_number(api::problem::already_ordered, api::language::zh);
    const api::reply& r = lang == api::language::zh ? in_zh : in_en;
    char number[24];
    const char* end = fmt::format_to(number, FMT_COMPILE("{}\"}}"), order.value);
    const auto size = static_cast<std::size_t>(end - number);
    write_head(out, r, r.body.size() + size, f);
    out.append(r.body).append(number, size);
}

// As the server's time and as a duration, because the clock of the buyer's machine may be wrong.
boost::json::object wait_until(instant until, instant now) {
    const std::int64_t left = std::max<std::int64_t>((until - now).count(), 1);
    return {{"until", api::to_iso(until)}, {"until_ms", to_ms(until)}, {"retry_after_ms", left}};
}

}  // namespace

std::string_view date_line::at(instant now) {
    const std::int64_t second = to_ms(now) / 1000;
    if (second != second_) {
        second_ = second;
        line_ =
            fmt::format("Date: {:%a, %d %b %Y %H:%M:%S} GMT\r\n{}", fmt::gmtime(second), behind_);
    }
    return line_;
}

void write_reply(std::string& out, const api::reply& r, const framing& f) {
    write_start(out, r, f);
    if (has_body(r) && !f.head_only) out.append(r.shared.part).append(r.tail);
}

void write_start(std::string& out, const api::reply& r, const framing& f) {
    // A page for browsers brings the policy that it needs.
    const bool has_policy = r.headers.starts_with("Content-Security-Policy:");
    write_head(out, r, r.content_bytes(), f, has_policy ? std::string_view() : for_pages);
    if (has_body(r) && !f.head_only) out.append(r.body);
}

bool has_shared_part(const api::reply& r, const framing& f) {
    return !r.shared.part.empty() && has_body(r) && !f.head_only;
}

void write_verdict(std::string& out, const sale::verdict& v, api::language lang, const framing& f) {
    if (v.what == sale::answer::accepted || v.what == sale::answer::repeated) {
        write_accepted(out, v, f);
        return;
    }
    if (v.what == sale::answer::sold_out) {
        // Built once per language: after the last unit this is nearly every answer.
        static const api::reply in_en =
            api::problem_reply(api::problem::sold_out, api::language::en);
        static const api::reply in_zh =
            api::problem_reply(api::problem::sold_out, api::language::zh);
        write_refusal(out, lang == api::language::zh ? in_zh : in_en, f);
        return;
    }
    if (v.what == sale::answer::already_ordered) {
        write_already_ordered(out, v.order, lang, f);
        return;
    }
    boost::json::object extra;
    if (v.what == sale::answer::cooling_down) extra = wait_until(v.cool_until, f.now);
    if (v.what == sale::answer::over_limit) extra["limit"] = v.units;
    if (v.what == sale::answer::not_enough) extra["free"] = v.units;
    if (v.what == sale::answer::not_started) extra["starts_at"] = api::to_iso(v.starts_at);
    if (v.what == sale::answer::busy || v.what == sale::answer::undecided)
        extra["retry_after_ms"] = busy_retry_ms;
    if (v.what == sale::answer::undecided) extra["order_no"] = sale::to_text(v.order);
    write_refusal(out, api::problem_reply(problem_of(v.what), lang, std::move(extra)), f);
}

int status_of(sale::answer a) {
    if (a == sale::answer::accepted || a == sale::answer::repeated) return 202;
    return api::status_of(problem_of(a));
}

}  // namespace floodgate::http
