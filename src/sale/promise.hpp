// A unit set aside for a buyer, as it is remembered.
//
// The gate makes promises, the journal (or a Redis stream) keeps them, the clerk reads them and the
// ledger books them. This record is what they share; none of them knows the others.

#pragma once

#include <array>
#include <optional>

#include "base/bytes.hpp"
#include "base/clock.hpp"
#include "sale/attempt.hpp"
#include "sale/ids.hpp"

namespace floodgate::sale {

struct promise {
    order_no order;
    sale_id sale;
    user_id buyer;
    std::uint32_t quantity = 1;
    fen unit_price;  // as it was at the moment of the promise
    points unit_points;
    instant at;             // when the gate said yes
    idempotency_key key{};  // no_key when the buyer sent none

    friend bool operator==(const promise&, const promise&) = default;
};

// One byte of version, then the fields in order, little-endian. See docs/journal_format.md.
inline constexpr std::size_t promise_bytes = 1 + 8 + 8 + 8 + 4 + 8 + 8 + 8 + 16;
using encoded_promise = std::array<std::byte, promise_bytes>;

encoded_promise encode(const promise& p);

// Nothing when the size, the version or a value cannot be what `encode` wrote.
std::optional<promise> decode_promise(byte_view bytes);

}  // namespace floodgate::sale
