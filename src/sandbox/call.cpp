#include "sandbox/call.hpp"

#include <boost/json/serialize.hpp>

#include "sandbox/letter_case.hpp"

namespace floodgate::sandbox {

std::string_view header_of(const header_list& headers, std::string_view name) {
    for (const auto& [known, value] : headers)
        if (lower_case(known) == lower_case(std::string(name))) return value;
    return {};
}

std::string media_type(const request& r) {
    std::string_view type = header_of(r.headers, "Content-Type");
    type = type.substr(0, type.find(';'));
    while (type.ends_with(' ')) type.remove_suffix(1);
    return lower_case(std::string(type));
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
