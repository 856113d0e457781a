#include "sandbox/call.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace floodgate::sandbox {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

}  // namespace

std::string_view header_of(const header_list& headers, std::string_view name) {
    for (const auto& [known, value] : headers)
        if (same_word(known, name)) return value;
    return {};
}

std::string media_type(const request& r) {
    std::string_view type = header_of(r.headers, "Content-Type");
    type = type.substr(0, type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    std::string out(type);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

response json_answer(int status, const boost::json::object& body) {
    return {status, "application/json; charset=utf-8", boost::json::serialize(body), {}};
}

response html_answer(int status, std::string page) {
    return {status, "text/html; charset=utf-8", std::move(page), {}};
}

response redirect(std::string where) {
    response r{302, "", "", {}};
    r.headers.emplace_back("Location", std::move(where));
    return r;
}

response refusal(int status, std::string_view why) { return json_answer(status, {{"error", why}}); }

}  // namespace floodgate::sandbox
