#include "pay/form.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/hex.hpp"

namespace floodgate::pay {
namespace {

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out.push_back(text[i] == '+' ? ' ' : text[i]);
            continue;
        }
        std::byte b{};
        if (!from_hex(text.substr(i + 1, 2), {&b, 1})) return std::nullopt;
        out.push_back(static_cast<char>(b));
        i += 2;
    }
    return out;
}

form_verdict add_pair(parameters& fields, std::string_view pair) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decoded(pair.substr(0, equals));
    auto value = percent_decoded(pair.substr(std::min(pair.size(), equals + 1)));
    if (!name || !value) return form_verdict::bad_escape;
    if (name->empty()) return form_verdict::without_name;
    const bool added = fields.try_emplace(std::move(*name), std::move(*value)).second;
    return added ? form_verdict::good : form_verdict::repeated_name;
}

}  // namespace

const char* to_text(form_verdict v) {
    switch (v) {
    case form_verdict::good: return "good";
    case form_verdict::too_long: return "too_long";
    case form_verdict::too_many: return "too_many";
    case form_verdict::bad_escape: return "bad_escape";
    case form_verdict::without_name: return "without_name";
    case form_verdict::repeated_name: return "repeated_name";
    }
    return "unknown";
}

decoded_form decode_form(std::string_view text, form_limits limits) {
    if (text.size() > limits.bytes_max) return {form_verdict::too_long, {}};
    decoded_form form;
    while (!text.empty()) {
        const std::string_view pair = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), pair.size() + 1));
        if (pair.empty()) continue;
        if (form.fields.size() == limits.fields_max) return {form_verdict::too_many, {}};
        const form_verdict v = add_pair(form.fields, pair);
        if (v != form_verdict::good) return {v, {}};
    }
    return form;
}

bool add_fields(parameters& to, parameters more) {
    to.merge(more);
    return more.empty();  // what is left had a name that was there already
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain) {
            out.push_back(c);
            continue;
        }
        const auto value = static_cast<unsigned char>(c);
        out.push_back('%');
        out.push_back(digits[value >> 4U]);
        out.push_back(digits[value & 15U]);
    }
    return out;
}

std::string encode_form(const parameters& fields) {
    std::string out;
    for (const auto& [name, value] : fields) {
        if (!out.empty()) out.push_back('&');
        out.append(percent_encoded(name)).append("=").append(percent_encoded(value));
    }
    return out;
}

}  // namespace floodgate::pay
