// Answers as bytes.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/reply.hpp"
#include "sale/attempt.hpp"

namespace floodgate::http {

// The Date header line, rebuilt once a second. One per event loop.
class date_line {
public:
    // `behind` are further lines, the same for every answer; this way they cost nothing.
    explicit date_line(std::string behind = {}) : behind_(std::move(behind)) {}

    // "Date: Sun, 15 Nov 2026 10:00:00 GMT\r\n", followed by `behind`
    std::string_view at(instant now);

private:
    const std::string behind_;
    std::int64_t second_ = -1;
    std::string line_;
};

struct framing {
    std::string_view date;
    bool keep_alive = true;
    bool head_only = false;         // the answer to HEAD: lengths, but no body
    std::string_view cors{};        // header lines for pages of another origin: cors.hpp
    instant now{};                  // for a verdict that says how long to wait
    std::string_view request_id{};  // echoed; empty: there is none
};

// Appends the whole answer to `out`.
void write_reply(std::string& out, const api::reply& r, const framing& f);
// The same up to the shared part; r.shared and r.tail follow.
void write_start(std::string& out, const api::reply& r, const framing& f);
// Whether the answer has a part that is sent without copying it.
bool has_shared_part(const api::reply& r, const framing& f);

// The answer to an attempt to buy, appended to `out`. This is the hot path: no JSON library, no
// temporary strings for the two commonest answers.
void write_verdict(std::string& out, const sale::verdict& v, api::language lang, const framing& f);

// The status that write_verdict gives.
int status_of(sale::answer a);

// How long a buyer who is told `busy` or `undecided` should wait.
inline constexpr std::int64_t busy_retry_ms = 500;

}  // namespace floodgate::http
