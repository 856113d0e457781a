#include "base/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace floodgate {
namespace {

[[noreturn]] void fail(std::string_view text, std::string_view why) {
    throw endpoint_error(fmt::format(
        "'{}' is not HOST:PORT (such as 127.0.0.1:80, [::1]:80 or a.example:80): {}", text, why));
}

struct parts {
    std::string_view host, port;
};

// `text` begins with a bracket.
parts split_ipv6(std::string_view text) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) fail(text, "the bracket is not closed");
    const std::string_view host = text.substr(1, end - 1), rest = text.substr(end + 1);
    if (!host.empty() && host.find(':') == std::string_view::npos)
        fail(text, "only an IPv6 address stands in brackets");
    if (rest.empty()) fail(text, "the port is missing");
    if (rest.front() != ':') fail(text, "a colon must follow the bracket");
    return {host, rest.substr(1)};
}

parts split(std::string_view text) {
    if (text.starts_with('[')) return split_ipv6(text);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) fail(text, "the port is missing");
    if (text.find(':', colon + 1) != std::string_view::npos)
        fail(text, "there is more than one colon, and an IPv6 address needs brackets");
    return {text.substr(0, colon), text.substr(colon + 1)};
}

bool is_host(std::string_view host) {
    return !host.empty() && std::ranges::all_of(host, [](unsigned char c) {
        return c > ' ' && c != 0x7f && c != '/' && c != '@' && c != '[' && c != ']';
    });
}

std::optional<std::uint16_t> read_port(std::string_view digits, std::uint16_t least) {
    std::uint16_t port = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, port);
    if (error != std::errc() || stop != end || port < least) return std::nullopt;
    return port;
}

}  // namespace

std::string endpoint::text() const {
    const bool ipv6 = host.find(':') != std::string::npos;
    return fmt::format(fmt::runtime(ipv6 ? "[{}]:{}" : "{}:{}"), host, port);
}

endpoint parse_endpoint(std::string_view text, std::uint16_t port_min) {
    const auto [host, digits] = split(text);
    if (host.empty()) fail(text, "the host is missing");
    if (!is_host(host)) fail(text, "this is no name or address of a host");
    if (digits.empty()) fail(text, "the port is missing");
    const auto port = read_port(digits, port_min);
    if (!port) fail(text, fmt::format("the port must be a number from {} to 65535", port_min));
    return {std::string(host), *port};
}

std::optional<endpoint> endpoint_from_server(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    const auto port = read_port(text.substr(colon + 1), 1);
    if (!port || !is_host(host)) return std::nullopt;
    return endpoint{std::string(host), *port};
}

}  // namespace floodgate
