// The lines of promises of a cluster, one for each partition. The node that holds a partition's
// lease keeps it.

#pragma once

#include "clerk/partition_keeper.hpp"
#include "cluster/redis_leases.hpp"
#include "engine/leased_ledger.hpp"
#include "engine/ports.hpp"
#include "shop/stream_in_flight.hpp"

namespace floodgate::engine {

// Whether a line holds more than the ledger has entered of it.
bool has_more(const gate::partition_state& line, sale::line_place entered);
// The figures of all clerks together: counts are added, of times the worst counts.
clerk::figures total_of(const std::vector<clerk::keeper_figures>& keepers);

class kept_partitions final : public promise_lines {
public:
    struct world {
        const settings& with;
        const floodgate::clock& clock;
        store::redis& redis;
        ledger::ledger& book;
        gate::redis_turnstile& gate;
        cluster::redis_leases& leases;  // not started yet
        shop::node& node;
    };
    explicit kept_partitions(const world& w);

    // Also starts the leases. By now every lease has been asked for with seek().
    void start() override;
    // Also stops the leases. The last node first enters the remaining promises; if there are other
    // nodes, they take over.
    void stop() override;
    shop::in_flight& in_flight() override { return between_; }
    clerk::figures read_figures() const override;

    std::vector<clerk::keeper_figures> read_keepers() const;  // by partition

private:
    struct kept {  // one partition
        kept(const world& w, sale::partition p);
        leased_ledger post;
        clerk::partition_keeper keeper;
    };

    void enter_the_rest();
    bool anything_left();

    const world world_;
    shop::stream_in_flight between_;
    std::vector<std::unique_ptr<kept>> partitions_;
    bool started_ = false;
};

}  // namespace floodgate::engine
