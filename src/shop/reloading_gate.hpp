// The turnstile that everything above the gate uses. Its warm-up of a sale that the gate has
// forgotten also loads the sale's orders from the ledger.
//
// gate::turnstile::warm_up promises that taken units stay taken. A gate that has forgotten a sale
// cannot keep that promise: when an admin moves the window of such a sale, it would open with its
// whole stock. A sale that is still over is not loaded; its warm-up does nothing.

#pragma once

#include <mutex>

#include "base/clock.hpp"
#include "gate/forwarding_turnstile.hpp"
#include "shop/gate_loader.hpp"

namespace floodgate::shop {

class reloading_gate : public gate::forwarding_turnstile {
public:
    result<void> warm_up(const sale::sale& s) final;
    result<void> forget(const sale::sale& s) final;

protected:
    struct world {
        ledger::ledger& book;
        const floodgate::clock& clock;
        sale_memory memory;
    };
    reloading_gate(gate::turnstile& inner, const world& w)
        : forwarding_turnstile(inner), loader_(w.book, w.memory), clock_(w.clock) {}

    // Loads a sale that the gate must hold and did not hold a moment ago.
    virtual result<void> reload(const sale::sale& s) = 0;

    gate_loader loader_;
    const floodgate::clock& clock_;

private:
    // Keeps a loaded sale from being forgotten while it is warmed up. Never held while the ledger
    // is asked, because pausing a sale must not wait for that.
    std::mutex one_at_a_time_;
};

// Loads the sale in one step.
class reloading_embedded_gate final : public reloading_gate {
public:
    reloading_embedded_gate(gate::embedded_turnstile& inner, ledger::ledger& book,
                            const floodgate::clock& clock, sale_memory memory)
        : reloading_gate(inner, {book, clock, memory}), gate_(inner) {}

private:
    result<void> reload(const sale::sale& s) override;

    gate::embedded_turnstile& gate_;
};

// Has the sale's partition rebuilt, unless the sale is new. Buyers of the partition are told `busy`
// meanwhile. If the partition is being rebuilt already, only the terms are sent. If that rebuild
// left the sale out, because it was over when the rebuild began, the reconciliation finds the
// difference and has the partition rebuilt again.
class reloading_redis_gate final : public reloading_gate {
public:
    reloading_redis_gate(gate::redis_turnstile& inner, std::uint32_t partitions,
                         ledger::ledger& book, const floodgate::clock& clock, sale_memory memory)
        : reloading_gate(inner, {book, clock, memory}),
          gate_(inner),
          book_(book),
          partitions_(partitions) {}

private:
    result<void> reload(const sale::sale& s) override;

    gate::redis_turnstile& gate_;
    ledger::ledger& book_;
    const std::uint32_t partitions_;
};

}  // namespace floodgate::shop
