#include "gate/gate_keys.hpp"

#include <cstring>

namespace floodgate::gate {
namespace {

template <std::integral T>
void append(std::string& out, T value) {
    std::array<std::byte, sizeof value> bytes;
    std::byte* at = bytes.data();
    put(at, value);
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

template <std::integral T>
std::string bytes_of(T value) {
    std::string out;
    append(out, value);
    return out;
}

}  // namespace

sale_keys gate_keys::of(sale::sale_id id) const {
    const sale::partition p = home_of(id);
    const std::string number = std::to_string(id.value);
    return {key_of(name_, p, schema::sale_key::terms + number),
            key_of(name_, p, schema::sale_key::buyers + number),
            key_of(name_, p, schema::sale_key::keys + number),
            key_of(name_, p, schema::sale_key::cooling + number)};
}

sale::partition gate_keys::home_of(const sale::idempotency_key& key) const {
    const std::byte* at = key.data();
    return {static_cast<std::uint32_t>(take<std::uint64_t>(at) % partitions_)};
}

std::string gate_keys::intent(const sale::idempotency_key& key) const {
    std::string what = schema::key::intent;
    what.append(reinterpret_cast<const char*>(key.data()), key.size());
    return key_of(name_, home_of(key), what);
}

std::string packed(sale::user_id buyer) { return bytes_of(buyer.value); }
std::string packed(sale::order_no order) { return bytes_of(order.value); }
std::string packed(instant at) { return bytes_of(to_ms(at)); }

std::string packed_price(sale::fen price, sale::points points) {
    std::string out = bytes_of(price.value);
    append(out, points.value);
    return out;
}

std::string packed(const sale::promise& p) {
    const sale::encoded_promise all = encode(p);
    std::string out(reinterpret_cast<const char*>(all.data()), schema::head_bytes);
    if (p.key != sale::no_key)
        out.append(reinterpret_cast<const char*>(p.key.data()), p.key.size());
    return out;
}

std::vector<packed_order> unpack_orders(std::string_view bytes) {
    std::vector<packed_order> out;
    for (; bytes.size() >= schema::record_bytes; bytes.remove_prefix(schema::record_bytes)) {
        const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
        packed_order o;
        o.order.value = take<std::uint64_t>(at);
        o.quantity = take<std::uint32_t>(at);
        out.push_back(o);
    }
    return out;
}

sale::user_id unpack_buyer(std::string_view bytes) {
    if (bytes.size() != sizeof(std::int64_t)) return {};
    const auto* at = reinterpret_cast<const std::byte*>(bytes.data());
    return {take<std::int64_t>(at)};
}

}  // namespace floodgate::gate
