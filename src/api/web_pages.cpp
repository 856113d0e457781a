#include "api/web_pages.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace floodgate::api {
namespace {

// Nothing but our own files, no script or style within the page, and no page of ours in a frame.
// blob: pictures are previews of uploads in the console. Scripts cannot make markup from text.
constexpr std::string_view page_headers =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Frame-Options: DENY\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\r\n";
constexpr std::string_view for_ever = "Cache-Control: public, max-age=31536000, immutable\r\n";
constexpr std::string_view ask_again = "Cache-Control: no-cache\r\n";

// What web/src/storefront/router.ts routes.
constexpr std::array<std::string_view, 7> storefront_pages{
    "/", "/orders", "/login", "/register", "/account", "/points", "/help"};
constexpr std::array<std::string_view, 2> storefront_folders{"/sales/", "/orders/"};

bool is_storefront(std::string_view path) {
    return std::ranges::find(storefront_pages, path) != storefront_pages.end() ||
           std::ranges::any_of(storefront_folders,
                               [&](std::string_view f) { return path.starts_with(f); });
}

bool is_console(std::string_view path) {
    return path == "/console" || path.starts_with("/console/");
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// "q=0", "q=0.0", "q=0.000"
bool is_zero(std::string_view parameter) {
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
    parameter.remove_prefix(2);
    return !parameter.empty() && parameter.find_first_not_of("0.") == parameter.npos;
}

}  // namespace

bool accepts(std::string_view accept_encoding, std::string_view coding) {
    while (!accept_encoding.empty()) {
        const std::size_t comma = accept_encoding.find(',');
        const std::string_view item = trimmed(accept_encoding.substr(0, comma));
        accept_encoding =
            comma == accept_encoding.npos ? std::string_view() : accept_encoding.substr(comma + 1);
        const std::size_t semicolon = item.find(';');
        if (trimmed(item.substr(0, semicolon)) != coding) continue;
        return semicolon == item.npos || !is_zero(trimmed(item.substr(semicolon + 1)));
    }
    return false;
}

namespace {

constexpr const char* cut_off = "the packed pages are cut off";

std::string_view slice_of(std::string_view bodies, const boost::json::value& place) {
    const auto offset = boost::json::value_to<std::size_t>(place.at(0));
    const auto size = boost::json::value_to<std::size_t>(place.at(1));
    if (offset > bodies.size() || size > bodies.size() - offset) throw std::runtime_error(cut_off);
    return bodies.substr(offset, size);
}

}  // namespace

web_pages::web_pages(std::string_view packed) {
    std::uint64_t length = 0;
    static_assert(std::endian::native == std::endian::little, "as pack.mjs writes it");
    if (packed.size() < sizeof length) throw std::runtime_error(cut_off);
    std::memcpy(&length, packed.data(), sizeof length);
    packed.remove_prefix(sizeof length);
    if (length > packed.size()) throw std::runtime_error(cut_off);
    const std::string_view bodies = packed.substr(length);
    const auto index = boost::json::parse(packed.substr(0, length));
    for (const auto& entry : index.as_array()) add(entry.as_object(), bodies);
}

void web_pages::add(const boost::json::object& o, std::string_view bodies) {
    const std::string path(o.at("path").as_string());
    page made{.type = std::string(o.at("type").as_string()),
              .etag = "\"" + std::string(o.at("etag").as_string()) + "\"",
              .headers = {},
              .bodies = {}};
    if (path.ends_with(".html")) made.headers = page_headers;
    made.headers.append(o.at("immutable").as_bool() ? for_ever : ask_again);
    made.headers.append("ETag: ").append(made.etag).append("\r\nVary: Accept-Encoding\r\n");
    for (const char* coding : {"br", "gzip", ""}) {
        const auto& place = o.at(*coding ? coding : "identity");
        if (!place.is_null()) made.bodies.push_back({coding, slice_of(bodies, place)});
    }
    pages_.emplace(path, std::move(made));
}

const web_pages::page* web_pages::find(const question& q) const {
    std::string_view path = q.path;
    if (is_console(path)) {
        if (q.at == door::no_operators) return nullptr;
        path = "/console.html";
    } else if (path.ends_with(".html")) {
        return nullptr;  // the shells have addresses of their own
    } else if (is_storefront(path)) {
        path = "/index.html";
    }
    const auto found = pages_.find(path);
    return found == pages_.end() ? nullptr : &found->second;
}

std::optional<reply> web_pages::answer(const question& q) const {
    const page* found = find(q);
    if (!found) return std::nullopt;
    if (q.if_none_match == "*" || q.if_none_match.find(found->etag) != std::string_view::npos)
        return reply{.status = 304, .headers = found->headers};
    for (const auto& [coding, bytes] : found->bodies) {
        if (!coding.empty() && !accepts(q.accept_encoding, coding)) continue;
        reply out{.content_type = found->type, .shared = {{}, bytes}, .headers = found->headers};
        if (!coding.empty()) out.headers.append("Content-Encoding: ").append(coding).append("\r\n");
        return out;
    }
    return std::nullopt;  // not reached: every page has its plain body
}

}  // namespace floodgate::api
