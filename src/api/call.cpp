#include "api/call.hpp"

#include <algorithm>
#include <cstddef>

#include "base/hex.hpp"

namespace floodgate::api {

// The result is never longer than the text.
std::string percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::byte b{};
        if (text[i] == '%' && from_hex(text.substr(i + 1, 2), {&b, 1})) {
            out.push_back(static_cast<char>(b));
            i += 2;
        } else {
            out.push_back(text[i] == '+' ? ' ' : text[i]);
        }
    }
    return out;
}

std::optional<std::string> query_value(const call& c, std::string_view name) {
    std::string_view rest = c.query;
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        if (percent_decoded(pair.substr(0, equals)) != name) continue;
        return percent_decoded(pair.substr(std::min(pair.size(), equals + 1)));
    }
    return std::nullopt;
}

}  // namespace floodgate::api
