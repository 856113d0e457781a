// The part of the turnstile that a partition's keeper uses: rebuilds the partition in Redis from
// the ledger, step by step, and reads its state. redis_turnstile.hpp has the order of the steps.

#pragma once

#include <span>
#include <string>

#include "gate/gate_keys.hpp"
#include "gate/redis_turnstile.hpp"
#include "sale/catalogue.hpp"
#include "store/redis/redis.hpp"

namespace floodgate::gate {

class rebuild {
public:
    rebuild(store::redis& redis, const gate_keys& keys, milliseconds key_kept_for)
        : redis_(redis), keys_(keys), key_kept_for_(key_kept_for) {}

    result<partition_state> state_of(sale::partition p);
    result<void> close(sale::partition p);
    result<void> begin(sale::partition p, std::uint64_t epoch);
    // With an empty epoch this is a warm-up, otherwise a step of a rebuild.
    result<void> load(const std::string& epoch, const sale::sale& s);
    result<void> forget(const sale::sale& s);  // for an open partition
    result<void> put_down(sale::partition p, std::uint64_t epoch,
                          std::span<const sale::promise> promises, bool only_keys);
    result<void> put_down_cooling(std::uint64_t epoch, sale::sale_id sale, instant now,
                                  std::span<const cooling_buyer> cooling);
    result<void> open(sale::partition p, std::uint64_t epoch);

private:
    result<void> put_down_some(sale::partition p, std::uint64_t epoch,
                               std::span<const sale::promise> promises, bool only_keys);

    result<void> keep_intents(std::span<const sale::promise> promises);

    store::redis& redis_;
    const gate_keys& keys_;
    const milliseconds key_kept_for_;
};

// Runs a script that replies with a word. `ok` and `absent` are success, any other word becomes an
// error.
result<void> run_step(store::redis& redis, const store::redis_script& script,
                      const store::words& keys, const store::words& arguments);

}  // namespace floodgate::gate
