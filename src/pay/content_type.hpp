// The type of a message's body, without what follows it: "text/html" of "Text/HTML; charset=utf-8".

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace floodgate::pay {

inline bool has_type(std::string_view content_type, std::string_view type) {
    std::string_view word = content_type.substr(0, content_type.find(';'));
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::ranges::equal(word, type, {}, lower);
}

}  // namespace floodgate::pay
