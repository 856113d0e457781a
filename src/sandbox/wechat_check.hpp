// The checks that WeChat Pay makes on every request, before it looks at its fields.

#pragma once

#include <optional>

#include "base/clock.hpp"
#include "sandbox/call.hpp"
#include "sandbox/parties.hpp"
#include "sandbox/wechat_reply.hpp"

namespace floodgate::sandbox {

struct wechat_call {
    boost::json::object body;  // empty for GET
    std::optional<wechat_reply> fault;
};

// Checked in this order: Authorization header, merchant, time, serial, signature; Accept,
// Content-Type; a JSON object without null and without characters of four bytes.
wechat_call check_wechat_request(const request& r, const wechat_party& who, instant now);

}  // namespace floodgate::sandbox
