// The first message on a WebSocket: what the buyer's orders are now, and the moves they missed.
//
// Read after the socket has begun to listen, so that nothing lies between; what was heard before
// the hello is sent is told after it, unless the hello has it already.

#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "api/services.hpp"

namespace floodgate::push {

struct hello {
    std::string text;
    std::int64_t last_event = 0;  // every move of theirs up to here is in it
    std::unordered_map<sale::order_no, sale::order_state> states;  // of the orders in it

    // Whether it tells the same as this news, or something newer.
    bool covers(const sale::order_news& news) const;
};

// `since` is the last event the client has seen; nothing: it has seen none, and gets none but the
// present state. Blocks.
result<hello> make_hello(api::services& with, sale::user_id buyer,
                         std::optional<std::int64_t> since, milliseconds heartbeat);

// {"type":"order","event":N,"order":{...}}
std::string order_message(const sale::order_news& news);

}  // namespace floodgate::push
