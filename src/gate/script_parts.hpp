// How the gate's scripts begin: what they have in common.

#pragma once

#include <string>
#include <string_view>

#include "sale/gate_schema.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::gate::scripts {

using sale::gate_schema::lua_answers;
using sale::gate_schema::lua_fields;
using sale::gate_schema::lua_promise;
using sale::gate_schema::lua_said;

// The first line of a script. It makes Redis refuse the whole script where a write would be refused
// (a replica, no memory, a failing disk), and refuse keys of another slot. A script that only gives
// back, closes or looks may also run when memory is short.
inline constexpr std::string_view writes = "#!lua", writes_little = "#!lua flags=allow-oom",
                                  only_reads = "#!lua flags=no-writes";

template <class... Parts>
store::redis_script joined(const Parts&... parts) {
    std::string text;
    (text.append(parts), ...);
    return store::redis_script(text);
}

// Stands at the head of every script that reads promises or a buyer's orders.
inline constexpr std::string_view reading = R"lua(
local sub, byte, call = string.sub, string.byte, redis.call

local function order_in(promise) return sub(promise, order_first, order_last) end
local function buyer_in(promise) return sub(promise, buyer_first, buyer_last) end
local function key_in(promise) return sub(promise, head_bytes + 1) end
local function record_of(promise)
  return sub(promise, order_first, order_last) .. sub(promise, quantity_first, quantity_last)
end

local function number_at(text, at)
  local a, b, c, d = byte(text, at, at + 3)
  return a + b * 256 + c * 65536 + d * 16777216
end
local function quantity_in(promise) return number_at(promise, quantity_first) end
-- Of the record that begins there.
local function order_at(orders, at) return sub(orders, at, at + order_bytes - 1) end
local function quantity_at(orders, at) return number_at(orders, at + order_bytes) end

-- Where the order stands among a buyer's orders; nothing when it does not.
local function find(orders, order)
  for at = 1, #orders, record_bytes do
    if order_at(orders, at) == order then return at end
  end
end
)lua";

}  // namespace floodgate::gate::scripts
