// One line per event: an event name and key=value pairs, to standard error or a file.
//
//   log::info("journal.opened", "segments", 3, "path", path);
//   2026-11-15T10:00:00.123Z info journal.opened segments=3 path=data/journal
//   {"at":"2026-11-15T10:00:00.123Z","level":"info","event":"journal.opened","segments":3, ...}
//
// Under systemd's journal, each line to standard error begins with its priority (<6>), and a line
// of text leaves out the time and the level, which the journal has.
//
// Event names are <folder>.<past participle>. Refusals are counted, never logged line by line.
// No secrets and no bodies. Lines are queued and written by a thread of their own; when the queue
// is full the oldest are dropped, so a slow terminal never slows a buyer.

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace floodgate::log {

enum class level { debug = 1, info, warning, error };

// Throws std::invalid_argument for a name other than debug, info, warning, error.
level parse_level(std::string_view name);

enum class format { text = 1, json, journal };

// Throws std::invalid_argument for a name other than text, json, journal.
format parse_format(std::string_view name);

struct options {
    level least = level::info;
    format as = format::text;  // text becomes journal where standard error is systemd's journal
    std::string file{};        // empty: standard error
};

// Call this before the first line. Without it, lines from info upward are written synchronously.
// Throws std::runtime_error when the file cannot be opened.
void start(const options& o);
inline void start(level least) { start(options{.least = least}); }
// Opens the log file again, under its name, after something has renamed it. Throws
// std::runtime_error when it cannot be opened; then the old one stays.
void reopen();
void set_level(level least);
// Writes out the queued lines.
void stop();

bool enabled(level which);
void write(level which, std::string_view event, std::string_view pairs);

// While it lives, the lines of this thread carry request=ID. An empty id adds nothing.
class request_scope {
public:
    explicit request_scope(std::string id);
    ~request_scope();
    request_scope(const request_scope&) = delete;
    request_scope& operator=(const request_scope&) = delete;

private:
    std::string before_;
};

bool writes_json();
std::string json_text(std::string_view text);  // quoted and escaped
// A value as it stands in a log line: quoted when it holds blanks, quotes or control characters.
std::string quoted(std::string_view text);

namespace detail {

template <class Value>
std::string shown_in_json(const Value& value) {
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        return json_text(value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
        return fmt::format("{}", value);
    } else {
        return json_text(fmt::format("{}", value));
    }
}

template <class Value>
std::string shown(const Value& value) {
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        return floodgate::log::quoted(value);
    } else {
        return fmt::format("{}", value);
    }
}

inline void append(std::string&, bool) {}

template <class Value, class... Rest>
void append(std::string& pairs, bool json, std::string_view key, const Value& value,
            const Rest&... rest) {
    if (json)
        // "event" is the name of the line itself.
        pairs.append(key == "event" ? ",\"of_" : ",\"")
            .append(key)
            .append("\":")
            .append(shown_in_json(value));
    else
        pairs.append(" ").append(key).append("=").append(shown(value));
    append(pairs, json, rest...);
}

}  // namespace detail

// Keys and values as they stand in a log line: " key=value other=7", or ,"key":"value","other":7
template <class... Pairs>
std::string pairs_of(const Pairs&... pairs) {
    static_assert(sizeof...(Pairs) % 2 == 0, "keys and values come in pairs");
    std::string text;
    detail::append(text, writes_json(), pairs...);
    return text;
}

namespace detail {

template <class... Pairs>
void event(level which, std::string_view name, const Pairs&... pairs) {
    if (enabled(which)) write(which, name, pairs_of(pairs...));
}

}  // namespace detail

template <class... Pairs>
void debug(std::string_view event, const Pairs&... pairs) {
    detail::event(level::debug, event, pairs...);
}
template <class... Pairs>
void info(std::string_view event, const Pairs&... pairs) {
    detail::event(level::info, event, pairs...);
}
template <class... Pairs>
void warning(std::string_view event, const Pairs&... pairs) {
    detail::event(level::warning, event, pairs...);
}
template <class... Pairs>
void error(std::string_view event, const Pairs&... pairs) {
    detail::event(level::error, event, pairs...);
}

}  // namespace floodgate::log
