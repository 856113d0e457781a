// The first message on a WebSocket: what the buyer's orders are now, and the moves they missed.
//
// It is made after the socket has begun to listen, so that nothing is missed in between. News that
// comes before the hello is sent follows it, unless the hello has it already.

#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "api/services.hpp"

namespace floodgate::push {

struct hello {
    std::string text;
    std::int64_t last_event = 0;  // the hello has every move of the buyer up to this one
    std::unordered_map<sale::order_no, sale::order_state> states;  // of the orders in the hello

    // Whether the hello has the same as this news, or something newer.
    bool covers(const sale::order_news& news) const;
};

// `since` is the last event that the client has seen. If it is empty, the client gets only the
// present state. Blocks.
result<hello> make_hello(api::services& with, sale::user_id buyer,
                         std::optional<std::int64_t> since, milliseconds heartbeat);

// {"type":"order","event":N,"order":{...}}
std::string order_message(const sale::order_news& news);

}  // namespace floodgate::push
