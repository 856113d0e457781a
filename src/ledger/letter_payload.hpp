// The promise inside a letter.

#pragma once

#include <optional>

#include "sale/promise.hpp"

namespace floodgate::ledger {

// What the letter's own columns say about the promise.
struct letter_key {
    sale::order_no order;
    sale::sale_id sale;
    std::int64_t units = 0;
};

// Empty when the payload cannot be read, or holds another promise than the columns say.
inline std::optional<sale::promise> promise_in(byte_view payload, const letter_key& key) {
    const auto p = sale::decode_promise(payload);
    if (!p || p->order != key.order || p->sale != key.sale || p->quantity != key.units) return {};
    return p;
}

}  // namespace floodgate::ledger
