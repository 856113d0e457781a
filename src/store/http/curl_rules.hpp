// How this folder uses libcurl: the rules of http_client.hpp as options of a transfer.

#pragma once

#include <curl/curl.h>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::store {

struct curl_deleter {
    void operator()(CURL* c) const { curl_easy_cleanup(c); }
    void operator()(CURLU* u) const { curl_url_cleanup(u); }
    void operator()(curl_slist* l) const { curl_slist_free_all(l); }
    void operator()(char* text) const { curl_free(text); }
};
template <class T>
using curl_owned = std::unique_ptr<T, curl_deleter>;

// Throws std::bad_alloc.
curl_owned<CURL> new_transfer();
curl_owned<curl_slist> header_lines(const std::vector<std::string>& headers);

// Which addresses a socket may be opened to. Must outlive the transfer.
struct address_policy {
    bool allow_private = false;
    bool refused = false;  // a socket was not opened
};

struct transfer_times {
    milliseconds connect;
    milliseconds total;
};

// http and https, TLS verified, no redirects, proxies, cookies or passwords.
void set_rules(CURL* c, transfer_times times, address_policy& addresses);

inline constexpr const char* private_address_refused = "the address resolves to a private address";

}  // namespace floodgate::store
