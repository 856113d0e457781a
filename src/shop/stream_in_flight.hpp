// Promises in flight in a cluster: those in the lines of the partitions.

#pragma once

#include "gate/redis_turnstile.hpp"
#include "shop/in_flight.hpp"

namespace floodgate::shop {

class stream_in_flight final : public in_flight {
public:
    struct world {
        ledger::ledger& book;
        std::function<result<gate::partition_state>(sale::partition)> state_of;  // at the gate
        std::uint32_t partitions = 0;
        const monotonic_clock& clock = machine_time;
        pause rest = pause_this_thread;
    };
    explicit stream_in_flight(world w) : world_(std::move(w)) {}

    // A partition that cannot be asked or is being rebuilt counts as holding any number.
    std::uint64_t count(const ledger::tally& book) override;

    // Gives none: waits for at most three seconds until everything that is in the sale's partition
    // now is in the ledger.
    result<std::vector<sale::order_no>> of_sale(sale::sale_id id) override;

private:
    const world world_;
};

}  // namespace floodgate::shop
