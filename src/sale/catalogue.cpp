#include "sale/catalogue.hpp"

#include <algorithm>
#include <cstdlib>

namespace floodgate::sale {

const char* to_text(sale_state state) {
    switch (state) {
    case sale_state::draft: return "draft";
    case sale_state::published: return "published";
    case sale_state::paused: return "paused";
    case sale_state::ended: return "ended";
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

std::optional<sale_state> parse_sale_state(std::string_view text) {
    using enum sale_state;
    for (const sale_state s : {draft, published, paused, ended})
        if (text == to_text(s)) return s;
    return std::nullopt;
}

bool is_external_id(std::string_view text) {
    return !text.empty() && text.size() <= external_id_bytes_max &&
           std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace floodgate::sale
