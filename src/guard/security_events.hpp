// Events for the investigation of attacks: log-ins, failures, refusals.
//
// Every event is counted. A few of each kind are logged each second, and one line says how many
// were left out. So an attacker can neither fill the disk nor hide one attack behind another kind.
//
//   guard.login_failed user=17 from=203.0.113.9 route=/api/v1/auth/login
//   guard.events_left_out event=login_failed count=5312
//
// Never a phone number, a password or a token. Any thread.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "guard/ip_address.hpp"
#include "sale/ids.hpp"

namespace floodgate::guard {

enum class security_event : std::uint8_t {
    login = 1,
    login_failed,
    registered,
    logout,
    token_refused,    // 401 although a token was sent
    role_denied,      // 403
    limited,          // 429
    ticket_refused,   // of a WebSocket
    message_refused,  // that claims to be a payment channel's
};
inline constexpr std::uint8_t security_event_kinds = 9;

// The rate limits, by their names in the configuration.
enum class limit : std::uint8_t {
    login_by_address = 1,
    login_by_device,
    login_by_account,
    login_by_user,
    register_by_address,
    purchase_by_address,
    purchase_by_user,
    lookup_by_user,
    move_by_user,
    ticket_by_user,
    message_by_address,
    call_by_key,
};
inline constexpr std::uint8_t limit_kinds = 12;

const char* to_text(security_event what);  // "login_failed"
const char* to_text(limit which);          // "login_by_device"

class security_events {
public:
    static constexpr std::uint32_t lines_a_second_max = 10;  // of each kind

    // Where lines go; log::write by default.
    using writer = std::function<void(log::level, std::string_view event, std::string_view pairs)>;
    security_events();
    explicit security_events(writer write);

    struct origin {
        sale::user_id user;  // 0: not known
        ip_address address;
        std::string_view route;
    };
    void note(security_event what, const origin& from, instant now);
    void note_limited(limit which, const origin& from, instant now);
    // `verdict`: a word of ours that says which check failed.
    void note_message(std::string_view verdict, const origin& from, instant now);

    // Logs how many events were left out in past seconds. To be called about once a second.
    void tell_left_out(instant now);

    struct figures {
        std::array<std::uint64_t, security_event_kinds + 1> events{};  // by their number
        std::array<std::uint64_t, limit_kinds + 1> limits{};
    };
    figures read_figures() const;

private:
    struct alignas(64) kind {
        std::atomic<std::uint64_t> count{0}, left_out{0};
        std::atomic<std::int64_t> quiet_from_ms{0};  // the second whose lines are used up; 0: none
        std::mutex mutex;                            // guards what follows
        std::int64_t second_from_ms = 0;
        std::uint32_t lines = 0;
    };
    // `detail` is written before everything else; it is asked for only if the line is.
    template <class Detail>
    void note(security_event what, const origin& from, instant now, Detail detail);
    bool may_write(security_event what, kind& k, std::int64_t now_ms);
    void begin_second(security_event what, kind& k, std::int64_t now_ms);
    kind& at(security_event what) { return kinds_[static_cast<std::size_t>(what)]; }

    const writer write_;
    std::array<kind, security_event_kinds + 1> kinds_;
    std::array<std::atomic<std::uint64_t>, limit_kinds + 1> limits_{};
};

}  // namespace floodgate::guard
