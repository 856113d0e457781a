#include "http/upgrade.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include <algorithm>

#include "http/request_target.hpp"

namespace floodgate::http {
namespace {

namespace http = boost::beast::http;
using boost::beast::iequals;

constexpr std::size_t key_characters = 24;  // 16 bytes in base64

// "shop.example:443" -> "shop.example" if that is the scheme's standard port. The standard port of
// the other scheme stays, because it would be another server.
std::string_view without_port(std::string_view host, std::string_view standard_port) {
    if (host.ends_with(standard_port)) host.remove_suffix(standard_port.size());
    return host;
}

bool is_upgrade(const upgrade_request& r) {
    const auto& m = r.message;
    return m.method() == http::verb::get && m.version() == 11 &&
           http::token_list{m[http::field::connection]}.exists("upgrade") &&
           http::token_list{m[http::field::upgrade]}.exists("websocket") &&
           m[http::field::sec_websocket_version] == "13";
}

api::reply upgrade_required(api::language lang) {
    api::reply out =
        api::problem_reply(api::problem::upgrade_required, lang,
                           {{"detail", "this address speaks WebSocket, version 13, only"}});
    out.headers += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";
    return out;
}

}  // namespace

std::optional<upgrade_request> read_upgrade(std::string_view head) {
    http::request_parser<http::empty_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(head.size()) + 8);
    boost::beast::error_code error;
    parser.put(boost::asio::buffer(head), error);
    if (error || !parser.is_done()) return std::nullopt;
    upgrade_request r{parser.release()};
    // RFC 9112, 3.2.2: the host of an address in the request line overrides the Host header.
    const auto target = split_target(r.message.target());
    if (target && !target->authority.empty())
        r.message.set(http::field::host, std::string(target->authority));
    return r;
}

std::optional<api::reply> refuse_upgrade(const upgrade_request& r,
                                         std::span<const std::string> allowed_origins,
                                         api::language lang) {
    if (!is_upgrade(r)) return upgrade_required(lang);
    const auto& m = r.message;
    if (m.count(http::field::sec_websocket_key) != 1 ||
        m[http::field::sec_websocket_key].size() != key_characters)
        return api::problem_reply(api::problem::bad_request, lang,
                                  {{"detail", "Sec-WebSocket-Key must be 16 bytes in base64"}});
    const auto origins = m.count(http::field::origin);
    if (origins > 1 || (origins == 1 && !origin_allowed(m[http::field::origin],
                                                        m[http::field::host], allowed_origins)))
        return api::problem_reply(
            api::problem::forbidden, lang,
            {{"detail", "pages of this Origin may not open a WebSocket here"}});
    return std::nullopt;
}

bool origin_allowed(std::string_view origin, std::string_view host,
                    std::span<const std::string> allowed) {
    const bool listed =
        std::ranges::any_of(allowed, [&](const std::string& one) { return iequals(one, origin); });
    if (listed) return true;
    const bool tls = origin.size() > 8 && iequals(origin.substr(0, 8), "https://");
    if (!tls && !(origin.size() > 7 && iequals(origin.substr(0, 7), "http://"))) return false;
    const std::string_view port = tls ? ":443" : ":80";
    const std::string_view ours = without_port(host, port);
    return !ours.empty() && iequals(without_port(origin.substr(tls ? 8 : 7), port), ours);
}

}  // namespace floodgate::http
