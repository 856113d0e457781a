// Promises in flight in a cluster: those in the lines of the partitions.

#pragma once

#include "gate/redis_turnstile.hpp"
#include "shop/in_flight.hpp"

namespace floodgate::shop {

class stream_in_flight final : public in_flight {
public:
    stream_in_flight(ledger::ledger& book, gate::redis_turnstile& gate, std::uint32_t partitions)
        : book_(book), gate_(gate), partitions_(partitions) {}

    // A partition that cannot be asked or is being rebuilt counts as holding any number.
    std::uint64_t count(const ledger::tally& book) override;

    // Gives none: waits for a moment until everything in the sale's partition is in the ledger.
    result<std::vector<sale::order_no>> of_sale(sale::sale_id id) override;

private:
    ledger::ledger& book_;
    gate::redis_turnstile& gate_;
    const std::uint32_t partitions_;
};

}  // namespace floodgate::shop
