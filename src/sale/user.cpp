#include "sale/user.hpp"

#include <algorithm>

namespace floodgate::sale {
namespace {

template <class Enum>
struct named {
    Enum value;
    std::string_view word;
};

constexpr std::array role_words{
    named<role>{role::buyer, "buyer"},
    named<role>{role::admin, "admin"},
    named<role>{role::sales_operator, "operator"},
    named<role>{role::viewer, "viewer"},
    named<role>{role::support, "support"},
};
constexpr std::array standing_words{
    named<standing>{standing::full, "full"},
    named<standing>{standing::must_change_password, "must_change_password"},
    named<standing>{standing::second_factor_missing, "second_factor_missing"},
};
static_assert(role_words.size() == all_roles.size());

template <class Enum, std::size_t N>
std::string_view word_in(const std::array<named<Enum>, N>& table, Enum value) {
    const auto found = std::ranges::find(table, value, &named<Enum>::value);
    return found == table.end() ? std::string_view{} : found->word;
}

template <class Enum, std::size_t N>
std::optional<Enum> value_in(const std::array<named<Enum>, N>& table, std::string_view word) {
    const auto found = std::ranges::find(table, word, &named<Enum>::word);
    if (found == table.end()) return std::nullopt;
    return found->value;
}

template <class Enum, std::size_t N>
std::optional<Enum> numbered_in(const std::array<named<Enum>, N>& table, std::int64_t number) {
    const auto found = std::ranges::find_if(
        table, [&](const named<Enum>& n) { return static_cast<std::int64_t>(n.value) == number; });
    if (found == table.end()) return std::nullopt;
    return found->value;
}

}  // namespace

std::string_view to_word(role r) { return word_in(role_words, r); }
std::optional<role> role_of(std::string_view word) { return value_in(role_words, word); }
std::optional<role> role_numbered(std::int64_t n) { return numbered_in(role_words, n); }

std::string_view to_word(standing s) { return word_in(standing_words, s); }
std::optional<standing> standing_of(std::string_view word) {
    return value_in(standing_words, word);
}
std::optional<standing> standing_numbered(std::int64_t n) { return numbered_in(standing_words, n); }

}  // namespace floodgate::sale
