// The record of units that are set aside for a buyer.
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
struct byte_range {
    std::size_t at = 0, bytes = 0;
    constexpr std::size_t end() const { return at + bytes; }
    // The field behind this one.
    template <class T>
    constexpr byte_range then() const {
        return {end(), sizeof(T)};
    }
};
namespace promise_layout {
inline constexpr byte_range version{0, 1};
inline constexpr byte_range order = version.then<decltype(order_no::value)>();
inline constexpr byte_range sale = order.then<decltype(sale_id::value)>();
inline constexpr byte_range buyer = sale.then<decltype(user_id::value)>();
inline constexpr byte_range quantity = buyer.then<std::uint32_t>();
inline constexpr byte_range unit_price = quantity.then<decltype(fen::value)>();
inline constexpr byte_range unit_points = unit_price.then<decltype(points::value)>();
inline constexpr byte_range at = unit_points.then<std::int64_t>();
inline constexpr byte_range key = at.then<idempotency_key>();
}  // namespace promise_layout
inline constexpr std::size_t promise_bytes = promise_layout::key.end();
static_assert(promise_bytes == 69, "journals and streams hold promises of this size");
using encoded_promise = std::array<std::byte, promise_bytes>;

encoded_promise encode(const promise& p);

// Empty when `encode` cannot have written this: a wrong size, version or value.
std::optional<promise> decode_promise(byte_view bytes);

}  // namespace floodgate::sale
