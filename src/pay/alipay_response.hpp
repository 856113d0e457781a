// What Alipay's gateway answers to JSON methods:
//
//     {"alipay_trade_query_response":{"code":"10000",...},"sign":"..."}
//
// The signature covers the characters of the inner object exactly as they were sent. So the object
// is cut out of the raw body, and only what was cut out is parsed.

#pragma once

#include <string>
#include <string_view>

#include "pay/authenticity.hpp"
#include "pay/keys.hpp"

namespace floodgate::pay {

inline constexpr std::size_t alipay_response_bytes_max = 1'048'576;

// "alipay_trade_query_response" of "alipay.trade.query".
std::string alipay_response_key(std::string_view method);

struct alipay_response_parts {
    std::string_view node;  // in the body, from '{' to its '}'; empty if there is no such node
    std::string sign;       // empty if there is none
    bool is_error = false;  // the node stood under "error_response"
};

// Finds the node of the method, or else that of "error_response". Braces are counted outside
// strings. Nothing is found in a body that is not one JSON object, has any name at the top twice, a
// node that is no object, a sign that is no text, or more than alipay_response_bytes_max. The
// inside of the node is not checked to be JSON.
alipay_response_parts split_alipay_response(std::string_view body, std::string_view method);

struct alipay_response {
    authenticity how = authenticity::malformed;
    // Raw; also given when the signature is missing or wrong, for the journal. Only a genuine node
    // may be believed. Alipay leaves some failures unsigned: without_signature never means that
    // something succeeded.
    std::string_view node;
    bool is_error = false;
};

// Some Alipay servers sign "/" and send "\/", which means the same in JSON. Both count.
alipay_response verify_alipay_response(std::string_view body, std::string_view method,
                                       const public_key& platform);

// The other side, for the sandbox. `node` is a JSON object as text.
std::string sign_alipay_response(std::string_view method, std::string_view node,
                                 const private_key& platform);

}  // namespace floodgate::pay
