#include "guard/access_list.hpp"

#include "guard/tokens.hpp"

namespace floodgate::guard {
namespace {

constexpr std::string_view key_begins = "fgk_";

}  // namespace

const char* to_text(scope s) {
    switch (s) {
    case scope::catalogue: return "catalogue";
    case scope::orders: return "orders";
    case scope::logins: return "logins";
    case scope::payment: return "payment";
    }
    return "unknown";
}

std::optional<scope> parse_scope(std::string_view word) {
    for (const scope s : all_scopes)
        if (word == to_text(s)) return s;
    return std::nullopt;
}

const api_key* access_list::find_key(const sale::token_hash& hash, instant now) const {
    const auto found = keys.find(hash);
    if (found == keys.end()) return nullptr;
    const api_key& key = found->second;
    return key.expires_at == instant{} || key.expires_at > now ? &key : nullptr;
}

std::string new_api_key() { return std::string(key_begins) + new_token(); }

bool looks_like_api_key(std::string_view text) {
    return text.size() == key_begins.size() + token_characters && text.starts_with(key_begins);
}

}  // namespace floodgate::guard
