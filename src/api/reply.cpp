#include "api/reply.hpp"

#include <boost/json/serialize.hpp>

#include <utility>

#include "api/detail_zh.hpp"

namespace floodgate::api {
namespace {

// RFC 9110 wants whole seconds. Rounded up, because zero would invite clients to retry at once.
std::string retry_after(std::int64_t ms) {
    const std::int64_t seconds = ms <= 0 ? 1 : (ms + 999) / 1000;
    return "Retry-After: " + std::to_string(seconds) + "\r\n";
}

}  // namespace

shared_text all_of(std::shared_ptr<const std::string> whole) {
    const std::string_view part = *whole;
    return {std::move(whole), part};
}

std::string content_of(const reply& r) {
    std::string out = r.body;
    return out.append(r.shared.part).append(r.tail);
}

reply json_reply(int status, const boost::json::value& body) {
    return {.status = status, .body = boost::json::serialize(body)};
}

reply problem_reply(problem p, language lang, boost::json::object extra) {
    const int status = status_of(p);
    reply r{.status = status, .content_type = "application/problem+json"};
    if (status == 401) r.headers = "WWW-Authenticate: Bearer\r\n";
    if (const auto* wait = extra.if_contains("retry_after_ms"); wait && wait->is_int64()) {
        r.headers += retry_after(wait->get_int64());
    }
    boost::json::object body{{"type", "about:blank"},
                             {"title", title_of(p, lang)},
                             {"status", status},
                             {"code", code_of(p)}};
    for (auto& member : extra) body[member.key()] = std::move(member.value());
    if (const auto* detail = body.if_contains("detail"); detail && lang == language::zh)
        if (auto chinese = in_chinese(detail->as_string())) body["detail"] = *std::move(chinese);
    r.body = boost::json::serialize(body);
    return r;
}

const char* reason_phrase(int status) {
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Content";
    case 423: return "Locked";
    case 426: return "Upgrade Required";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return "Unknown";
    }
}

}  // namespace floodgate::api
