// How the gate names its keys in Redis, and how it packs a promise for its scripts (scripts.hpp).

#pragma once

#include <string>

#include "sale/gate_schema.hpp"
#include "sale/partition.hpp"

namespace floodgate::gate {

namespace schema = sale::gate_schema;

struct sale_keys {
    std::string sale, buyers, keys, cooling;
};

class gate_keys {
public:
    gate_keys(std::string name, std::uint32_t partitions)
        : name_(std::move(name)), partitions_(partitions) {}

    sale::partition home_of(sale::sale_id id) const { return partition_of(id, partitions_); }
    std::uint32_t partitions() const { return partitions_; }

    std::string gate(sale::partition p) const { return key_of(name_, p, schema::key::gate); }
    std::string line(sale::partition p) const { return key_of(name_, p, schema::key::line); }
    std::string sales(sale::partition p) const { return key_of(name_, p, schema::key::sales); }
    std::string freed(sale::partition p) const { return key_of(name_, p, schema::key::freed); }
    sale_keys of(sale::sale_id id) const;
    // The partition in which an Idempotency-Key is claimed, whichever sale it is used for.
    sale::partition home_of(const sale::idempotency_key& key) const;
    std::string intent(const sale::idempotency_key& key) const;

private:
    std::string name_;
    std::uint32_t partitions_;
};

// 8 bytes, little-endian.
std::string packed(sale::user_id buyer);
std::string packed(sale::order_no order);
std::string packed(instant at);
std::string packed_price(sale::fen price, sale::points points);  // 16 bytes
// A promise's head, and its key if it has one.
std::string packed(const sale::promise& p);

// Orders as the hashes hold them: 12 bytes each, oldest first.
struct packed_order {
    sale::order_no order;
    std::uint32_t quantity = 0;
};
std::vector<packed_order> unpack_orders(std::string_view bytes);
sale::user_id unpack_buyer(std::string_view bytes);

}  // namespace floodgate::gate
