// The part of conversation.hpp that reads what a client speaks.

#include <boost/beast/core/string.hpp>

#include <algorithm>
#include <charconv>

#include "http/conversation.hpp"

namespace floodgate::http {

using boost::beast::iequals;

api::language language_of(std::string_view accept_language) {
    // The first of zh and en with the highest weight; en when neither is named.
    double best = 0;
    api::language chosen = api::language::en;
    while (!accept_language.empty()) {
        const std::size_t comma = std::min(accept_language.find(','), accept_language.size());
        std::string_view item = accept_language.substr(0, comma);
        accept_language.remove_prefix(std::min(comma + 1, accept_language.size()));
        while (item.starts_with(' ')) item.remove_prefix(1);
        const bool zh = item.size() >= 2 && iequals(item.substr(0, 2), "zh");
        const bool en = item.size() >= 2 && iequals(item.substr(0, 2), "en");
        if (!zh && !en) continue;
        double weight = 1;
        if (const std::size_t q = item.find("q="); q != std::string_view::npos)
            std::from_chars(item.data() + q + 2, item.data() + item.size(), weight);
        if (weight > best) {
            best = weight;
            chosen = zh ? api::language::zh : api::language::en;
        }
    }
    return chosen;
}

}  // namespace floodgate::http
