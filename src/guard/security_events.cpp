#include "guard/security_events.hpp"

#include "guard/addresses.hpp"

namespace floodgate::guard {
namespace {

constexpr std::int64_t second_ms = 1000;

// Threads read the clock at different moments, so an event may have a slightly earlier time than
// the one before it. Only a larger step back means that the clock was set; it begins a new second.
constexpr std::int64_t disorder_ms_max = 10'000;

bool is_same_second(std::int64_t from_ms, std::int64_t now_ms) {
    return now_ms - from_ms < second_ms && from_ms - now_ms < disorder_ms_max;
}

log::level level_of(security_event what) {
    using enum security_event;
    const bool usual = what == login || what == registered || what == logout;
    return usual ? log::level::info : log::level::warning;
}

void write_to_log(log::level level, std::string_view event, std::string_view pairs) {
    if (log::enabled(level)) log::write(level, event, pairs);
}

}  // namespace

const char* to_text(security_event what) {
    switch (what) {
    case security_event::login: return "login";
    case security_event::login_failed: return "login_failed";
    case security_event::registered: return "registered";
    case security_event::logout: return "logout";
    case security_event::token_refused: return "token_refused";
    case security_event::role_denied: return "role_denied";
    case security_event::limited: return "limited";
    case security_event::ticket_refused: return "ticket_refused";
    case security_event::message_refused: return "message_refused";
    }
    return "unknown";
}

const char* to_text(limit which) {
    switch (which) {
    case limit::login_by_address: return "login_by_address";
    case limit::login_by_device: return "login_by_device";
    case limit::login_by_account: return "login_by_account";
    case limit::login_by_user: return "login_by_user";
    case limit::register_by_address: return "register_by_address";
    case limit::purchase_by_address: return "purchase_by_address";
    case limit::purchase_by_user: return "purchase_by_user";
    case limit::lookup_by_user: return "lookup_by_user";
    case limit::move_by_user: return "move_by_user";
    case limit::ticket_by_user: return "ticket_by_user";
    case limit::message_by_address: return "message_by_address";
    case limit::call_by_key: return "call_by_key";
    }
    return "unknown";
}

security_events::security_events() : security_events(write_to_log) {}
security_events::security_events(writer write) : write_(std::move(write)) {}

void security_events::note(security_event what, const origin& from, instant now) {
    note(what, from, now, [] { return std::string(); });
}

void security_events::note_limited(limit which, const origin& from, instant now) {
    limits_[static_cast<std::size_t>(which)].fetch_add(1, std::memory_order_relaxed);
    note(security_event::limited, from, now,
         [&] { return log::pairs_of("limit", to_text(which)); });
}

void security_events::note_message(std::string_view verdict, const origin& from, instant now) {
    note(security_event::message_refused, from, now,
         [&] { return log::pairs_of("verdict", verdict); });
}

template <class Detail>
void security_events::note(security_event what, const origin& from, instant now, Detail detail) {
    kind& k = at(what);
    k.count.fetch_add(1, std::memory_order_relaxed);
    if (!may_write(what, k, to_ms(now))) return;
    std::string pairs = detail();
    if (from.user.value != 0) pairs += log::pairs_of("user", from.user.value);
    pairs += log::pairs_of("from", prefix_text(from.address), "route", from.route);
    write_(level_of(what), std::string("guard.") + to_text(what), pairs);
}

// In a flood, nearly every call returns at the first line, without a lock.
bool security_events::may_write(security_event what, kind& k, std::int64_t now_ms) {
    const std::int64_t quiet_from = k.quiet_from_ms.load(std::memory_order_relaxed);
    if (quiet_from == 0 || !is_same_second(quiet_from, now_ms)) {
        const std::lock_guard lock(k.mutex);
        if (!is_same_second(k.second_from_ms, now_ms)) begin_second(what, k, now_ms);
        if (k.lines < lines_a_second_max) {
            ++k.lines;
            return true;
        }
        k.quiet_from_ms.store(k.second_from_ms, std::memory_order_relaxed);
    }
    k.left_out.fetch_add(1, std::memory_order_relaxed);
    return false;
}

// To be called under the kind's lock.
void security_events::begin_second(security_event what, kind& k, std::int64_t now_ms) {
    k.second_from_ms = now_ms;
    k.lines = 0;
    k.quiet_from_ms.store(0, std::memory_order_relaxed);
    const std::uint64_t left_out = k.left_out.exchange(0, std::memory_order_relaxed);
    if (left_out == 0) return;
    write_(log::level::warning, "guard.events_left_out",
           log::pairs_of("event", to_text(what), "count", left_out));
}

void security_events::tell_left_out(instant now) {
    for (std::uint8_t i = 1; i <= security_event_kinds; ++i) {
        const auto what = static_cast<security_event>(i);
        kind& k = at(what);
        if (k.left_out.load(std::memory_order_relaxed) == 0) continue;
        const std::lock_guard lock(k.mutex);
        if (!is_same_second(k.second_from_ms, to_ms(now))) begin_second(what, k, to_ms(now));
    }
}

security_events::figures security_events::read_figures() const {
    figures out;
    for (std::size_t i = 1; i < out.events.size(); ++i)
        out.events[i] = kinds_[i].count.load(std::memory_order_relaxed);
    for (std::size_t i = 1; i < out.limits.size(); ++i)
        out.limits[i] = limits_[i].load(std::memory_order_relaxed);
    return out;
}

}  // namespace floodgate::guard
