// One HTTP request as a handler sees it: it owns its texts, is checked, and its sender is known.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "guard/ip_address.hpp"
#include "sale/user.hpp"

namespace floodgate::api {

enum class verb : std::uint8_t { get = 1, post, put, other };
enum class language : std::uint8_t { en = 1, zh };

// Of a message that a payment channel sent: what it was signed with, and how it is written.
struct message_headers {
    std::string content_type;
    std::string timestamp, nonce, signature, serial;  // Wechatpay-...
    std::string own_timestamp{}, own_signature{};     // Floodgate-...
};

struct call {
    std::string path;               // as sent, without the query
    std::string query;              // after '?', still percent-encoded
    std::vector<std::int64_t> ids;  // the numbers that stood in the route's {id} places, in order
    std::string name{};             // the text that stood in the route's {name} place
    std::string body;
    std::string if_none_match;
    // Only for the calls of payment channels; the others must not pay for it.
    std::shared_ptr<const message_headers> message{};
    sale::user_id user;        // 0: nobody is logged in
    sale::token_hash login{};  // their log-in: the hash of the token they sent
    sale::role role = sale::role::buyer;
    sale::standing standing = sale::standing::full;
    // The API key that made the call; then there is no user. 0: none.
    std::int64_t key = 0;
    std::string key_name{};
    guard::ip_address client;              // the client's address, also behind trusted proxies
    bool client_is_trusted_proxy = false;  // its address is not rate-limited
    api::language language = api::language::en;
    instant now;
};

// A '%' without two hexadecimal digits after it stands for itself, as in browsers; '+' is a blank.
std::string percent_decoded(std::string_view text);

// The first value of `name` in the query, percent-decoded ('+' is a blank); empty when absent.
std::optional<std::string> query_value(const call& c, std::string_view name);

}  // namespace floodgate::api
