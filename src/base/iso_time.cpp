// Read by hand: the std::chrono::parse that would do it is missing from gcc 12.

#include "base/iso_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace floodgate {
namespace {

using namespace std::chrono;

constexpr instant first = sys_days(year(1970) / 1 / 1);
constexpr instant last = sys_days(year(2100) / 1 / 1) - milliseconds(1);

// Reads from the left; after the first thing that is not as expected, `ok` is false for good.
struct scanner {
    std::string_view rest;
    bool ok = true;

    int digits(std::size_t n) {
        int value = 0;
        ok = ok && rest.size() >= n;
        for (std::size_t i = 0; ok && i < n; ++i) {
            ok = rest[i] >= '0' && rest[i] <= '9';
            value = value * 10 + (rest[i] - '0');
        }
        if (ok) rest.remove_prefix(n);
        return ok ? value : 0;
    }
    bool next_is(char c) const { return ok && !rest.empty() && rest.front() == c; }
    bool take(char c) {
        if (!next_is(c)) return false;
        rest.remove_prefix(1);
        return true;
    }
    void or_throw(char c) { ok = take(c); }
};

sys_days read_date(scanner& in) {
    const int y = in.digits(4);
    in.or_throw('-');
    const int m = in.digits(2);
    in.or_throw('-');
    const int d = in.digits(2);
    const auto date = year(y) / m / d;
    in.ok = in.ok && date.ok();
    return in.ok ? sys_days(date) : sys_days();
}

milliseconds read_time_of_day(scanner& in) {
    const int h = in.digits(2);
    in.or_throw(':');
    const int m = in.digits(2);
    in.or_throw(':');
    const int s = in.digits(2);
    const int ms = in.take('.') ? in.digits(3) : 0;
    in.ok = in.ok && h < 24 && m < 60 && s < 60;
    return hours(h) + minutes(m) + seconds(s) + milliseconds(ms);
}

// "Z", "+08:00": how far local time is ahead of UTC.
minutes read_offset(scanner& in) {
    if (in.take('Z')) return {};
    const bool behind = in.next_is('-');
    if (!behind && !in.next_is('+')) in.ok = false;
    if (in.ok) in.rest.remove_prefix(1);
    const int h = in.digits(2);
    in.or_throw(':');
    const int m = in.digits(2);
    in.ok = in.ok && h <= 14 && m < 60;
    const minutes ahead = hours(h) + minutes(m);
    return behind ? -ahead : ahead;
}

}  // namespace

std::string to_iso(instant t) {
    t = std::clamp(t, first, last);
    const auto day = floor<days>(t);
    const year_month_day date(day);
    const hh_mm_ss time(t - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count(),
                       time.subseconds().count());
}

std::optional<instant> parse_iso(std::string_view text) {
    scanner in{text};
    const sys_days day = read_date(in);
    in.or_throw('T');
    const milliseconds time = read_time_of_day(in);
    const minutes ahead = read_offset(in);
    if (!in.ok || !in.rest.empty()) return std::nullopt;
    const instant t = instant(day) + time - ahead;
    if (t < first || t > last) return std::nullopt;
    return t;
}

}  // namespace floodgate
