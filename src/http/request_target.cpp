#include "http/request_target.hpp"

#include <boost/beast/core/string.hpp>

#include <algorithm>
#include <cctype>

namespace floodgate::http {
namespace {

bool is_host(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view(".-_:[]").find(static_cast<char>(c)) != std::string_view::npos;
    });
}

std::size_t scheme_length(std::string_view target) {
    for (const std::string_view scheme : {"http://", "https://"})
        if (boost::beast::iequals(target.substr(0, scheme.size()), scheme)) return scheme.size();
    return 0;
}

}  // namespace

std::optional<request_target> split_target(std::string_view target) {
    request_target out;
    if (!target.starts_with('/')) {
        const std::size_t scheme = scheme_length(target);
        if (scheme == 0) return std::nullopt;
        target.remove_prefix(scheme);
        out.authority = target.substr(0, target.find_first_of("/?"));
        if (!is_host(out.authority)) return std::nullopt;
        target.remove_prefix(out.authority.size());
    }
    out.path = target.substr(0, target.find('?'));
    if (out.path.size() < target.size()) out.query = target.substr(out.path.size() + 1);
    return out;
}

}  // namespace floodgate::http
