// The sandbox as a whole: requests in, answers out, and messages to the merchant.
//
//   /gateway.do   Alipay        /v3/...   WeChat Pay        /sandbox/...   cashier and switches

#pragma once

#include <mutex>

#include "sandbox/call.hpp"
#include "sandbox/delivery.hpp"
#include "sandbox/platform.hpp"

namespace floodgate::sandbox {

class gateway {
public:
    // `db` is kept for the trades and must outlive the gateway. Throws store::sql_error.
    gateway(parties who, store::database& db) : platform_(std::move(who), db) {}

    // Any thread; one request at a time. Never throws.
    response answer(const request& r, instant now);

    // Sends what is due by `now`, a few messages at most, and says when to call again (`never`:
    // when a request has come). Requests are answered meanwhile. Call it from one thread.
    // Throws store::sql_error; then what was not written is sent again.
    instant deliver(poster& by, instant now);

private:
    response route(const request& r, instant now);
    std::vector<outgoing> take_due(instant now);
    void settle(const outgoing& sent, const posted& answer, instant now);

    std::mutex mutex_;
    platform platform_;  // guarded by mutex_
};

}  // namespace floodgate::sandbox
