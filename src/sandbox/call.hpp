// One HTTP request and its answer, without sockets: whoever serves the sandbox fills in the one and
// sends the other.

#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::sandbox {

using header_list = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t body_bytes_max = 65'536;

struct request {
    std::string verb;   // "GET", "POST"
    std::string path;   // as sent, without the query
    std::string query;  // after '?', still percent-encoded
    header_list headers;
    std::string body;

    std::string target() const { return query.empty() ? path : path + "?" + query; }
};

struct response {
    int status = 200;
    std::string content_type;  // empty: there is no body
    std::string body;
    header_list headers;
    milliseconds delay{0};  // how long the server waits before it sends this
};

// The value of the first header of this name, in any case; empty if there is none.
std::string_view header_of(const header_list& headers, std::string_view name);

// "application/json" of "application/json; charset=utf-8", in lower case.
std::string media_type(const request& r);

response json_answer(int status, const boost::json::object& body);
response html_answer(int status, std::string page);
// For a browser, which then asks for `where` with GET.
response redirect(std::string where);
// {"error": why}. For the sandbox's own calls, which belong to no channel.
response refusal(int status, std::string_view why);

}  // namespace floodgate::sandbox
