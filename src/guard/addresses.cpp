#include "guard/addresses.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace floodgate::guard {
namespace {

namespace ip = boost::asio::ip;

constexpr std::size_t address_characters_max = 45;  // INET6_ADDRSTRLEN without its zero
constexpr unsigned v4_prefix = 96;  // where an IPv4 address begins among IPv6's bits

// Strict, without a scope, and without allocating: behind a proxy this runs for every request.
std::optional<ip::address> parse_address(std::string_view text) {
    if (text.empty() || text.size() > address_characters_max) return std::nullopt;
    if (text.find_first_of(std::string_view("%\0", 2)) != text.npos) return std::nullopt;
    std::array<char, address_characters_max + 1> buffer{};
    std::ranges::copy(text, buffer.begin());
    boost::system::error_code error;
    const ip::address address = ip::make_address(buffer.data(), error);
    if (error) return std::nullopt;
    return normalised(address);
}

std::array<unsigned char, 16> bits_of(const ip::address& address) {
    return address.is_v4() ? ip::make_address_v6(ip::v4_mapped, address.to_v4()).to_bytes()
                           : address.to_v6().to_bytes();
}

bool bit_at(const std::array<unsigned char, 16>& bits, unsigned i) {
    return (bits[i / 8] >> (7U - i % 8)) % 2 != 0;
}

bool same_prefix(const std::array<unsigned char, 16>& a, const std::array<unsigned char, 16>& b,
                 unsigned length) {
    const unsigned whole = length / 8;
    if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
    if (length % 8 == 0) return true;
    const unsigned shift = 8U - length % 8;
    return a[whole] >> shift == b[whole] >> shift;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

[[noreturn]] void refuse(const std::string& text, const char* why) {
    throw std::invalid_argument("trusted proxy '" + text + "' " + why);
}

}  // namespace

ip::address normalised(const ip::address& address) {
    if (address.is_v4()) return address;
    const ip::address_v6 v6 = address.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6);
    return ip::address_v6(v6.to_bytes());
}

std::uint64_t limiter_key(const ip::address& address) {
    const ip::address plain = normalised(address);
    // In the form of ::ffff:0:0/96 shifted up; no IPv6 network in use begins like that.
    if (plain.is_v4()) return std::uint64_t{0xffff} << 32U | plain.to_v4().to_uint();
    const ip::address_v6::bytes_type bytes = plain.to_v6().to_bytes();
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < sizeof key; ++i) key = key << 8U | bytes[i];
    return key;
}

trusted_proxies::trusted_proxies(std::span<const std::string> networks) {
    networks_.reserve(networks.size());
    for (const std::string& text : networks) networks_.push_back(parse(text));
}

trusted_proxies::network trusted_proxies::parse(const std::string& text) {
    const std::string_view view = text;
    const std::size_t slash = view.find('/');
    const std::optional<ip::address> address = parse_address(view.substr(0, slash));
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
    const network n{bits_of(*address), offset + length};
    for (unsigned i = n.length; i < 128; ++i)
        if (bit_at(n.prefix, i)) refuse(text, "has bits set beyond its prefix length");
    return n;
}

bool trusted_proxies::is_trusted(const ip::address& address) const {
    if (networks_.empty()) return false;
    const bits b = bits_of(normalised(address));
    return std::ranges::any_of(
        networks_, [&b](const network& n) { return same_prefix(n.prefix, b, n.length); });
}

ip::address trusted_proxies::client_of(const ip::address& peer,
                                       std::string_view x_forwarded_for) const {
    ip::address client = normalised(peer);
    std::string_view rest = x_forwarded_for;
    while (!rest.empty() && is_trusted(client)) {
        const std::size_t comma = rest.rfind(',');
        const bool leftmost = comma == rest.npos;
        const auto next = parse_address(trimmed(leftmost ? rest : rest.substr(comma + 1)));
        if (!next) break;
        client = *next;
        rest = leftmost ? std::string_view() : rest.substr(0, comma);
    }
    return client;
}

}  // namespace floodgate::guard
