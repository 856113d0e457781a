#include "sale/promise.hpp"

#include <algorithm>
#include <cassert>

namespace floodgate::sale {
namespace {

constexpr std::uint8_t version = 1;

}  // namespace

encoded_promise encode(const promise& p) {
    encoded_promise out;
    std::byte* at = out.data();
    put(at, version);
    put(at, p.order.value);
    put(at, p.sale.value);
    put(at, p.buyer.value);
    put(at, p.quantity);
    put(at, p.unit_price.value);
    put(at, p.unit_points.value);
    put(at, to_ms(p.at));
    at = std::copy(p.key.begin(), p.key.end(), at);
    assert(at == out.data() + out.size());
    return out;
}

std::optional<promise> decode_promise(byte_view bytes) {
    if (bytes.size() != promise_bytes) return std::nullopt;
    const std::byte* at = bytes.data();
    if (take<std::uint8_t>(at) != version) return std::nullopt;
    promise p;
    p.order.value = take<std::uint64_t>(at);
    p.sale.value = take<std::int64_t>(at);
    p.buyer.value = take<std::int64_t>(at);
    p.quantity = take<std::uint32_t>(at);
    p.unit_price.value = take<std::int64_t>(at);
    p.unit_points.value = take<std::int64_t>(at);
    p.at = from_ms(take<std::int64_t>(at));
    std::copy_n(at, p.key.size(), p.key.begin());
    const bool sensible = p.order.value > 0 && p.sale.value > 0 && p.buyer.value > 0 &&
                          p.quantity > 0 && p.unit_price.value >= 0 && p.unit_points.value >= 0;
    if (!sensible) return std::nullopt;
    return p;
}

}  // namespace floodgate::sale
