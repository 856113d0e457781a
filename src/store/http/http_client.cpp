#include "store/http/http_client.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>
#include <optional>
#include <stdexcept>
#include <sys/socket.h>

#include "store/http/curl_rules.hpp"

namespace floodgate::store {
namespace {

constexpr std::size_t answer_bytes_max = 64ULL << 10U;
// Names that only machines of a private network have.
constexpr const char* private_domains[] = {".localhost", ".local", ".internal",
                                           ".lan",       ".test",  ".home.arpa"};

struct range {
    std::array<std::uint8_t, 16> first;
    unsigned bits;
};

// From the IANA registries of special-purpose addresses: those that reach no host or only local
// ones.
constexpr range special_v4[] = {
    {{0}, 8},             // this network, unspecified
    {{10}, 8},            // private
    {{100, 64}, 10},      // shared by a provider's customers
    {{127}, 8},           // loopback
    {{169, 254}, 16},     // link-local: among them the clouds' metadata
    {{172, 16}, 12},      // private
    {{192, 0, 0}, 24},    // protocol assignments
    {{192, 0, 2}, 24},    // documentation
    {{192, 88, 99}, 24},  // 6to4 relays
    {{192, 168}, 16},     // private
    {{198, 18}, 15},      // benchmarks
    {{198, 51, 100}, 24},
    {{203, 0, 113}, 24},
    {{224}, 3},  // multicast, reserved, broadcast
};
// Inside 2000::/3, which is all that is given out.
constexpr range special_v6[] = {
    {{0x20, 0x01, 0x00}, 23},        // protocol assignments, Teredo
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02}, 16},              // 6to4: an IPv4 address inside
    {{0x3f, 0xff}, 20},              // documentation
};
constexpr range global_v6{{0x20}, 3};

bool within(const std::uint8_t* address, const range& r) {
    const std::size_t whole = r.bits / 8;
    if (!std::equal(address, address + whole, r.first.begin())) return false;
    if (r.bits % 8 == 0) return true;
    const auto mask = static_cast<std::uint8_t>(0xFFU << (8 - r.bits % 8));
    return (address[whole] & mask) == (r.first.at(whole) & mask);
}

// Returning less than was offered ends the transfer.
std::size_t drop_answer(char*, std::size_t size, std::size_t count, void* user) {
    auto& left = *static_cast<std::size_t*>(user);
    const std::size_t bytes = size * count;
    if (bytes > left) return 0;
    left -= bytes;
    return bytes;
}

// Anything but 0 ends the transfer.
int ask_whether_to_go_on(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    const auto& limits = *static_cast<const http_limits*>(user);
    return limits.give_up && limits.give_up() ? 1 : 0;
}

void need_curl() {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready != CURLE_OK) throw std::runtime_error("libcurl cannot be initialised");
}

std::string part_of(CURLU* url, CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(url, which, &text, 0) != CURLUE_OK) return {};
    const curl_owned<char> free_later(text);
    return text;
}

// Null if it is not an absolute address.
curl_owned<CURLU> parse_url(const std::string& url) {
    need_curl();
    curl_owned<CURLU> parsed(curl_url());
    if (!parsed) throw std::bad_alloc();
    if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
        CURLUE_OK)
        parsed.reset();
    return parsed;
}

std::optional<bool> is_public_literal(const std::string& host) {
    sockaddr_storage any{};
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        std::memcpy(&any, &v4, sizeof v4);
    } else if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        std::memcpy(&any, &v6, sizeof v6);
    } else {
        return std::nullopt;
    }
    return is_public(reinterpret_cast<const sockaddr&>(any));
}

}  // namespace

bool is_public(const sockaddr& address) {
    if (address.sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &address, sizeof v4);
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
        return std::ranges::none_of(special_v4,
                                    [&](const range& r) { return within(bytes.data(), r); });
    }
    if (address.sa_family != AF_INET6) return false;
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    const std::uint8_t* bytes = v6.sin6_addr.s6_addr;
    return within(bytes, global_v6) &&
           std::ranges::none_of(special_v6, [&](const range& r) { return within(bytes, r); });
}

std::string fault_of_url(const std::string& url) {
    const curl_owned<CURLU> parsed = parse_url(url);
    if (!parsed) return "is not an absolute http or https address";
    const std::string scheme = part_of(parsed.get(), CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https") return "is not an http or https address";
    if (!part_of(parsed.get(), CURLUPART_USER).empty() ||
        !part_of(parsed.get(), CURLUPART_PASSWORD).empty())
        return "holds a user name or password";
    return {};
}

std::string host_of_url(const std::string& url) {
    const curl_owned<CURLU> parsed = parse_url(url);
    if (!parsed) return {};
    std::string host = part_of(parsed.get(), CURLUPART_HOST);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    while (host.ends_with('.')) host.pop_back();
    std::ranges::transform(host, host.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return host;
}

bool is_private_host(const std::string& host) {
    if (const auto known = is_public_literal(host)) return !*known;
    if (host.find('.') == std::string::npos) return !host.empty();
    return std::ranges::any_of(private_domains,
                               [&](const char* domain) { return host.ends_with(domain); });
}

http_outcome http_post(const std::string& url, const std::vector<std::string>& headers,
                       const std::string& body, const http_limits& limits) {
    if (std::string fault = fault_of_url(url); !fault.empty())
        return {.error = "the address " + std::move(fault), .forbidden = true};
    const curl_owned<CURL> c = new_transfer();
    address_policy addresses{limits.allow_private};
    std::size_t left = answer_bytes_max;
    std::vector<std::string> said = headers;
    said.emplace_back("Expect:");  // small bodies: no "100 Continue" beforehand
    const curl_owned<curl_slist> list = header_lines(said);

    set_rules(c.get(), {limits.connect, limits.total}, addresses);
    curl_easy_setopt(c.get(), CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c.get(), CURLOPT_XFERINFOFUNCTION, &ask_whether_to_go_on);
    curl_easy_setopt(c.get(), CURLOPT_XFERINFODATA, &limits);
    curl_easy_setopt(c.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(c.get(), CURLOPT_HTTPHEADER, list.get());
    curl_easy_setopt(c.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(c.get(), CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(c.get(), CURLOPT_WRITEFUNCTION, &drop_answer);
    curl_easy_setopt(c.get(), CURLOPT_WRITEDATA, &left);

    const CURLcode done = curl_easy_perform(c.get());
    long status = 0;
    curl_easy_getinfo(c.get(), CURLINFO_RESPONSE_CODE, &status);
    // The transfer was cut off on purpose, after the status, which is all that is needed.
    if (done == CURLE_OK || done == CURLE_WRITE_ERROR) return {.status = static_cast<int>(status)};
    if (addresses.refused) return {.error = private_address_refused, .forbidden = true};
    return {.error = curl_easy_strerror(done)};
}

}  // namespace floodgate::store
