#include "store/http/http_client.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <curl/curl.h>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace floodgate::store {
namespace {

constexpr std::size_t answer_bytes_max = 64ULL << 10U;

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

struct policy {
    bool allow_private = false;
    bool refused = false;
};

curl_socket_t open_socket(void* user, curlsocktype, curl_sockaddr* to) {
    auto& p = *static_cast<policy*>(user);
    if (!p.allow_private && !is_public(to->addr)) {
        p.refused = true;
        return CURL_SOCKET_BAD;
    }
    return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
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

struct curl_deleter {
    void operator()(CURL* c) const { curl_easy_cleanup(c); }
    void operator()(CURLU* u) const { curl_url_cleanup(u); }
    void operator()(curl_slist* l) const { curl_slist_free_all(l); }
    void operator()(char* text) const { curl_free(text); }
};
template <class T>
using owned = std::unique_ptr<T, curl_deleter>;

void need_curl() {
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (ready != CURLE_OK) throw std::runtime_error("libcurl cannot be initialised");
}

std::string part_of(CURLU* url, CURLUPart which) {
    char* text = nullptr;
    if (curl_url_get(url, which, &text, 0) != CURLUE_OK) return {};
    const owned<char> free_later(text);
    return text;
}

owned<curl_slist> list_of(const std::vector<std::string>& headers) {
    owned<curl_slist> list;
    for (const std::string& h : headers) {
        curl_slist* longer = curl_slist_append(list.get(), h.c_str());
        if (!longer) throw std::bad_alloc();
        static_cast<void>(list.release());
        list.reset(longer);
    }
    return list;
}

void set_rules(CURL* c, const http_limits& limits) {
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(c, CURLOPT_PROXY, "");  // also keeps it from asking the environment
    curl_easy_setopt(c, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);  // threads
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.total.count()));
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, &ask_whether_to_go_on);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, &limits);
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
    need_curl();
    const owned<CURLU> parsed(curl_url());
    if (!parsed) throw std::bad_alloc();
    if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
        CURLUE_OK)
        return "is not an absolute http or https address";
    const std::string scheme = part_of(parsed.get(), CURLUPART_SCHEME);
    if (scheme != "http" && scheme != "https") return "is not an http or https address";
    if (!part_of(parsed.get(), CURLUPART_USER).empty() ||
        !part_of(parsed.get(), CURLUPART_PASSWORD).empty())
        return "holds a user name or password";
    return {};
}

http_outcome http_post(const std::string& url, const std::vector<std::string>& headers,
                       const std::string& body, const http_limits& limits) {
    if (std::string fault = fault_of_url(url); !fault.empty())
        return {.error = "the address " + std::move(fault), .forbidden = true};
    const owned<CURL> c(curl_easy_init());
    if (!c) throw std::bad_alloc();
    policy addresses{limits.allow_private};
    std::size_t left = answer_bytes_max;
    std::vector<std::string> said = headers;
    said.emplace_back("Expect:");  // small bodies: no "100 Continue" beforehand
    const owned<curl_slist> list = list_of(said);

    set_rules(c.get(), limits);
    curl_easy_setopt(c.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(c.get(), CURLOPT_HTTPHEADER, list.get());
    curl_easy_setopt(c.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(c.get(), CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(c.get(), CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    curl_easy_setopt(c.get(), CURLOPT_OPENSOCKETDATA, &addresses);
    curl_easy_setopt(c.get(), CURLOPT_WRITEFUNCTION, &drop_answer);
    curl_easy_setopt(c.get(), CURLOPT_WRITEDATA, &left);

    const CURLcode done = curl_easy_perform(c.get());
    long status = 0;
    curl_easy_getinfo(c.get(), CURLINFO_RESPONSE_CODE, &status);
    // The transfer was cut off on purpose, after the status, which is all that is needed.
    if (done == CURLE_OK || done == CURLE_WRITE_ERROR) return {.status = static_cast<int>(status)};
    if (addresses.refused)
        return {.error = "the address resolves to a private address", .forbidden = true};
    return {.error = curl_easy_strerror(done)};
}

}  // namespace floodgate::store
