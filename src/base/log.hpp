// One line per event: an event name and key=value pairs, to standard error.
//
//   log::info("journal.opened", "segments", 3, "path", path);
//   2026-11-15T10:00:00.123Z info journal.opened segments=3 path=data/journal
//
// Event names are <folder>.<past participle>. Refusals are counted, never logged line by line.
// No secrets and no bodies. Lines are queued and written by a thread of their own; when the queue
// is full the oldest are dropped, so a slow terminal never slows a buyer.

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace floodgate::log {

enum class level { debug = 1, info, warning, error };

// Throws std::invalid_argument for a name other than debug, info, warning, error.
level parse_level(std::string_view name);

// Call this before the first line. Without it, lines from info upward are written synchronously.
void start(level least);
// Writes out the queued lines.
void stop();

bool enabled(level which);
void write(level which, std::string_view event, std::string_view pairs);

// A value as it stands in a log line: quoted when it holds blanks, quotes or control characters.
std::string quoted(std::string_view text);

namespace detail {

template <class Value>
std::string shown(const Value& value) {
    if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
        return floodgate::log::quoted(value);
    } else {
        return fmt::format("{}", value);
    }
}

inline void append(std::string&) {}

template <class Value, class... Rest>
void append(std::string& pairs, std::string_view key, const Value& value, const Rest&... rest) {
    pairs.append(" ").append(key).append("=").append(shown(value));
    append(pairs, rest...);
}

}  // namespace detail

// Keys and values as they stand in a log line: " key=value other=7".
template <class... Pairs>
std::string pairs_of(const Pairs&... pairs) {
    static_assert(sizeof...(Pairs) % 2 == 0, "keys and values come in pairs");
    std::string text;
    detail::append(text, pairs...);
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
