#include "guard/addresses.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace floodgate::guard {
namespace {

constexpr unsigned v4_prefix = 96;  // where an IPv4 address begins among IPv6's bits

bool bit_at(const ip_address& a, unsigned i) { return (a.bytes[i / 8] >> (7U - i % 8)) % 2 != 0; }

bool same_prefix(const ip_address& a, const ip_address& b, unsigned length) {
    const unsigned whole = length / 8;
    if (!std::equal(a.bytes.begin(), a.bytes.begin() + whole, b.bytes.begin())) return false;
    if (length % 8 == 0) return true;
    const unsigned shift = 8U - length % 8;
    return a.bytes[whole] >> shift == b.bytes[whole] >> shift;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

bool is_port(std::string_view text) {
    constexpr std::size_t digits_max = 5;
    return !text.empty() && text.size() <= digits_max &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// An address as proxies write it: plain, in brackets, or with the port the client came from.
std::optional<ip_address> parse_forwarded(std::string_view text) {
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == text.npos) return std::nullopt;
        const std::string_view rest = text.substr(end + 1);
        if (!rest.empty() && (rest.front() != ':' || !is_port(rest.substr(1)))) return std::nullopt;
        const auto inside = parse_address(text.substr(1, end - 1));
        const bool is_v6_text = text.find(':') < end;
        return is_v6_text ? inside : std::nullopt;
    }
    const std::size_t colon = text.find(':');
    const bool one_colon = colon != text.npos && text.find(':', colon + 1) == text.npos;
    if (!one_colon) return parse_address(text);
    if (!is_port(text.substr(colon + 1))) return std::nullopt;
    return parse_address(text.substr(0, colon));
}

[[noreturn]] void refuse(const std::string& text, const char* why) {
    throw std::invalid_argument("trusted proxy '" + text + "' " + why);
}

}  // namespace

std::uint64_t limiter_key(const ip_address& address) {
    const auto& bytes = address.bytes;
    // IPv4 in the form of ::ffff:0:0/96 shifted up; no IPv6 network in use begins like that.
    const std::size_t from = address.is_v4() ? bytes.size() - sizeof(std::uint64_t) : 0;
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < sizeof key; ++i) key = key << 8U | bytes[from + i];
    return key;
}

std::string prefix_text(const ip_address& address) {
    std::array<char, INET6_ADDRSTRLEN> out{};
    if (address.is_v4()) {
        inet_ntop(AF_INET, address.bytes.data() + v4_prefix / 8, out.data(), out.size());
        return out.data();
    }
    ip_address network = address;
    std::fill(network.bytes.begin() + sizeof(std::uint64_t), network.bytes.end(), 0);
    inet_ntop(AF_INET6, network.bytes.data(), out.data(), out.size());
    return std::string(out.data()) + "/64";
}

trusted_proxies::trusted_proxies(std::span<const std::string> networks) {
    networks_.reserve(networks.size());
    for (const std::string& text : networks) networks_.push_back(parse(text));
}

trusted_proxies::network trusted_proxies::parse(const std::string& text) {
    const std::string_view view = text;
    const std::size_t slash = view.find('/');
    const std::optional<ip_address> address = parse_address(view.substr(0, slash));
    if (!address) refuse(text, "is not an address or network like 10.0.0.0/8, 127.0.0.1 or ::1");

    const unsigned offset = address->is_v4() ? v4_prefix : 0;
    unsigned length = 128 - offset;
    if (slash != view.npos) {
        const std::string_view digits = view.substr(slash + 1);
        unsigned given = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), given);
        if (error != std::errc() || end != digits.data() + digits.size() || given > length)
            refuse(text, address->is_v4() ? "needs a prefix length of 0 to 32"
                                          : "needs a prefix length of 0 to 128");
        length = given;
    }
    const network n{*address, offset + length};
    for (unsigned i = n.length; i < 128; ++i)
        if (bit_at(n.prefix, i)) refuse(text, "has bits set beyond its prefix length");
    return n;
}

bool trusted_proxies::is_trusted(const ip_address& address) const {
    return std::ranges::any_of(
        networks_, [&](const network& n) { return same_prefix(n.prefix, address, n.length); });
}

client trusted_proxies::client_of(const ip_address& peer, std::string_view x_forwarded_for) const {
    client found{peer, is_trusted(peer)};
    std::string_view rest = x_forwarded_for;
    bool leftmost = false;
    while (!leftmost && found.is_proxy) {
        const std::size_t comma = rest.rfind(',');
        leftmost = comma == rest.npos;
        const auto next = parse_forwarded(trimmed(leftmost ? rest : rest.substr(comma + 1)));
        if (!next) return {found.address, false};
        found = {*next, is_trusted(*next)};
        if (!leftmost) rest = rest.substr(0, comma);
    }
    return found;
}

}  // namespace floodgate::guard
