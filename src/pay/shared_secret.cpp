#include "pay/shared_secret.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pay/key_file.hpp"
#include "pay/openssl_handles.hpp"

namespace floodgate::pay {

shared_secret shared_secret::from_text(std::string_view text, const std::string& name) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    const bool visible = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F'; });
    if (!visible || text.size() < shared_secret_bytes_min || text.size() > shared_secret_bytes_max)
        throw key_error(fmt::format(
            "{} is not a shared secret: it must be one line of {} to {} letters, digits and signs; "
            "make one with: openssl rand -hex 32",
            name, shared_secret_bytes_min, shared_secret_bytes_max));
    return shared_secret(text);
}

shared_secret shared_secret::from_file(const std::string& path) {
    std::string text = read_key_file(path, key_secrecy::owner_only);
    const wiper wiped(text);
    return from_text(text, path);
}

shared_secret::~shared_secret() { const wiper wiped(bytes_); }

}  // namespace floodgate::pay
