#include "pay/beijing_time.hpp"

#include "base/iso_time.hpp"

namespace floodgate::pay {
namespace {

constexpr std::chrono::hours ahead_of_utc(8);
constexpr const char* offset = "+08:00";
constexpr std::size_t date_characters = 10;   // 2026-11-15
constexpr std::size_t whole_characters = 19;  // 2026-11-15T18:00:00

std::string local_iso(instant t) { return to_iso(t + ahead_of_utc).substr(0, whole_characters); }

}  // namespace

std::string to_beijing_text(instant t) {
    std::string text = local_iso(t);
    text[date_characters] = ' ';
    return text;
}

std::optional<instant> parse_beijing_text(std::string_view text) {
    if (text.size() != whole_characters || text[date_characters] != ' ') return std::nullopt;
    std::string iso(text);
    iso[date_characters] = 'T';
    return parse_iso(iso + offset);
}

std::string to_rfc3339(instant t) { return local_iso(t) + offset; }

std::optional<instant> parse_rfc3339(std::string_view text) { return parse_iso(text); }

}  // namespace floodgate::pay
