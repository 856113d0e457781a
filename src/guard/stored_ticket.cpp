#include "guard/stored_ticket.hpp"

#include <charconv>

#include "base/hex.hpp"

namespace floodgate::guard {

std::string to_text(const stored_ticket& t) {
    return std::to_string(t.holder.user.value) + " " + std::to_string(to_ms(t.expires_at)) + " " +
           to_hex(t.holder.login);
}

std::optional<stored_ticket> parse_stored_ticket(std::string_view text) {
    std::int64_t user = 0;
    std::int64_t expires_ms = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, user);
    if (first.ec != std::errc() || first.ptr == end) return std::nullopt;
    const auto second = std::from_chars(first.ptr + 1, end, expires_ms);
    if (second.ec != std::errc() || second.ptr == end) return std::nullopt;
    stored_ticket out{{.user = {user}}, from_ms(expires_ms)};
    if (!from_hex(std::string_view(second.ptr + 1, end), out.holder.login)) return std::nullopt;
    if (user <= 0 || to_text(out) != text) return std::nullopt;
    return out;
}

}  // namespace floodgate::guard
