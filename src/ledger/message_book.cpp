#include "ledger/message_book.hpp"

#include <algorithm>
#include <string_view>

#include "base/cut_text.hpp"
#include "ledger/guarded.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::size_t verdict_bytes_max = 40;
constexpr std::size_t method_bytes_max = 12;
constexpr std::size_t channel_no_bytes_max = 64;

bool is_plain(std::string_view number) {
    return number.size() <= channel_no_bytes_max && std::ranges::all_of(number, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      c == '-' || c == '_';
           });
}

std::string as_text(byte_view bytes) {
    std::string text(bytes.size(), '\0');
    std::ranges::transform(bytes, text.begin(), [](std::byte b) { return static_cast<char>(b); });
    return text;
}

}  // namespace

// A clock that is set back begins a new minute too.
bool message_book::has_room(instant now) {
    const std::int64_t minute = to_ms(now) / minute_ms;
    const std::scoped_lock held(mutex_);
    if (minute != minute_) {
        minute_ = minute;
        kept_ = 0;
    }
    if (kept_ >= others_a_minute_max) return false;
    ++kept_;
    return true;
}

result<bool> message_book::add(const channel_message& m, bool moved_an_order) {
    if (!moved_an_order && !has_room(m.at)) return false;
    return guarded("messages.add", [&]() -> result<bool> {
        const std::string_view raw = std::string_view(m.raw).substr(0, raw_bytes_max);
        const std::string_view number = is_plain(m.channel_no) ? m.channel_no : std::string_view();
        db_.writer()->run(
            "INSERT INTO payment_messages (at_ms, method, verdict, order_no, channel_no, raw) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            m.at, cut_text(m.method, method_bytes_max), cut_text(m.verdict, verdict_bytes_max),
            m.order, number, byte_view(std::as_bytes(std::span(raw))));
        return true;
    });
}

result<std::vector<channel_message>> message_book::list(std::int64_t before, std::size_t limit) {
    return guarded("messages.list", [&]() -> result<std::vector<channel_message>> {
        const auto c = db_.reader();
        const std::int64_t below = before == 0 ? INT64_MAX : before;
        auto rows = c->ask(
            "SELECT id, at_ms, method, verdict, order_no, channel_no, raw FROM payment_messages "
            "WHERE id < ? ORDER BY id DESC LIMIT ?",
            below, limit);
        std::vector<channel_message> all;
        while (rows.next()) {
            channel_message& m = all.emplace_back();
            rows.read(m.id, m.at, m.method, m.verdict, m.order, m.channel_no);
            m.raw = as_text(rows.asked().bytes(6));
        }
        return all;
    });
}

}  // namespace floodgate::ledger
