#include "guard/ip_address.hpp"

#include <algorithm>
#include <arpa/inet.h>

namespace floodgate::guard {
namespace {

constexpr std::array<unsigned char, 12> v4_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::size_t characters_max = INET6_ADDRSTRLEN - 1;  // without the final zero

}  // namespace

bool ip_address::is_v4() const {
    return std::equal(v4_prefix.begin(), v4_prefix.end(), bytes.begin());
}

std::optional<ip_address> parse_address(std::string_view text) {
    if (text.empty() || text.size() > characters_max || text.find('\0') != text.npos)
        return std::nullopt;
    std::array<char, characters_max + 1> with_zero{};
    std::ranges::copy(text, with_zero.begin());
    ip_address out;
    if (inet_pton(AF_INET6, with_zero.data(), out.bytes.data()) == 1) return out;
    std::ranges::copy(v4_prefix, out.bytes.begin());
    if (inet_pton(AF_INET, with_zero.data(), out.bytes.data() + v4_prefix.size()) == 1) return out;
    return std::nullopt;
}

}  // namespace floodgate::guard
