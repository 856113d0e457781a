// Turns our types into SQL values, and rows back into our types.

#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/tagged.hpp"
#include "store/sql/statement.hpp"

namespace floodgate::store {

template <std::integral T>
void bind_value(statement& s, int place, T value) {
    s.bind(place, static_cast<std::int64_t>(value));
}
template <class T, class Tag>
void bind_value(statement& s, int place, const tagged<T, Tag>& id) {
    s.bind(place, static_cast<std::int64_t>(id.value));
}
inline void bind_value(statement& s, int place, instant t) { s.bind(place, to_ms(t)); }
inline void bind_value(statement& s, int place, std::string_view text) { s.bind(place, text); }
inline void bind_value(statement& s, int place, const char* text) {
    s.bind(place, std::string_view(text));
}
inline void bind_value(statement& s, int place, byte_view bytes) { s.bind(place, bytes); }
inline void bind_value(statement& s, int place, std::nullptr_t) { s.bind_null(place); }
template <std::size_t N>
void bind_value(statement& s, int place, const std::array<std::byte, N>& bytes) {
    s.bind(place, byte_view(bytes));
}
template <class T>
void bind_value(statement& s, int place, const std::optional<T>& value) {
    if (value) {
        bind_value(s, place, *value);
    } else {
        s.bind_null(place);
    }
}

// Binds to the places after `before`, in order.
template <class... Values>
void bind_after(statement& s, int before, const Values&... values) {
    (bind_value(s, ++before, values), ...);
}
template <class... Values>
void bind_all(statement& s, const Values&... values) {
    bind_after(s, 0, values...);
}

template <std::integral T>
void read_value(const statement& s, int column, T& value) {
    value = static_cast<T>(s.integer(column));
}
template <class T, class Tag>
void read_value(const statement& s, int column, tagged<T, Tag>& id) {
    id.value = static_cast<T>(s.integer(column));
}
inline void read_value(const statement& s, int column, instant& t) {
    t = from_ms(s.integer(column));
}
inline void read_value(const statement& s, int column, std::string& text) { text = s.text(column); }
// Shorter bytes, or NULL, are filled up with zeros.
template <std::size_t N>
void read_value(const statement& s, int column, std::array<std::byte, N>& bytes) {
    const byte_view found = s.bytes(column);
    bytes.fill(std::byte{});
    std::copy_n(found.begin(), std::min(found.size(), N), bytes.begin());
}
template <class T>
void read_value(const statement& s, int column, std::optional<T>& value) {
    value.reset();
    if (!s.is_null(column)) read_value(s, column, value.emplace());
}

// One use of a prepared statement; resets it in the end, whatever happens.
class row_cursor {
public:
    explicit row_cursor(statement& s) : statement_(&s) {}
    ~row_cursor() {
        if (statement_ != nullptr) statement_->reset();
    }
    row_cursor(row_cursor&& other) noexcept
        : statement_(std::exchange(other.statement_, nullptr)) {}
    row_cursor& operator=(row_cursor&&) = delete;

    bool next() { return statement_->step(); }

    // The row's columns, from the first, into these.
    template <class... Values>
    void read(Values&... values) const {
        int column = 0;
        (read_value(*statement_, column++, values), ...);
    }
    template <class Value>
    Value get(int column) const {
        Value value{};
        read_value(*statement_, column, value);
        return value;
    }

    statement& asked() { return *statement_; }

private:
    statement* statement_;
};

}  // namespace floodgate::store
