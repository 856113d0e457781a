// Reads from the ledger what the gate must hold, for both kinds of gate.
//
// The gate holds a sale completely or not at all: terms, the orders and open letters that hold
// units, the Idempotency-Keys of orders that hold none any more, and the buyers in a cool-down. It
// holds every sale that is not a draft, until some time after its last buyer could have paid:
// sale_memory.hpp. Targets are the embedded turnstile (at a start, and when a forgotten sale is
// opened again) and a partition of the gate in Redis (when its keeper rebuilds it).

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gate/embedded_turnstile.hpp"
#include "gate/redis_turnstile.hpp"
#include "journal/journal.hpp"
#include "ledger/ledger.hpp"
#include "shop/sale_memory.hpp"

namespace floodgate::shop {

class gate_target {
public:
    virtual ~gate_target() = default;
    // Takes over a sale that the target does not hold.
    struct contents {
        instant now;
        std::vector<sale::promise> held{};
        std::vector<sale::promise> spent{};  // hold no units; only their keys are needed
        std::vector<gate::cooling_buyer> cooling{};
    };
    virtual result<void> take_over(const sale::sale& s, const contents& with) = 0;
};

class gate_loader {
public:
    gate_loader(ledger::ledger& book, sale_memory memory) : book_(book), memory_(memory) {}

    // Whether the gate must hold the sale now. A sale that is over is still needed while an order
    // of it is unpaid or a letter open.
    result<bool> needs(const sale::sale& s, instant now);
    // Reads the sale's orders and hands them to the target with the sale, which is read again after
    // its orders: if one is withdrawn meanwhile, either its units are held or the stock is smaller.
    // Gives how many orders hold units.
    result<std::size_t> load(const sale::sale& s, gate_target& into, instant now);

private:
    result<std::vector<gate::cooling_buyer>> cooling_in(sale::sale_id id, instant now);

    ledger::ledger& book_;
    const sale_memory memory_;
};

class embedded_target final : public gate_target {
public:
    explicit embedded_target(gate::embedded_turnstile& gate) : gate_(gate) {}
    // Sales get this state, which the ledger may not have yet.
    embedded_target(gate::embedded_turnstile& gate, sale::sale_state state)
        : gate_(gate), state_(state) {}
    result<void> take_over(const sale::sale& s, const contents& with) override {
        sale::sale terms = s;
        terms.state = state_.value_or(s.state);
        return gate_.load(terms, with.held, with.spent, with.cooling);
    }

private:
    gate::embedded_turnstile& gate_;
    const std::optional<sale::sale_state> state_{};
};

// A partition between gate::redis_turnstile::begin() and open().
class partition_target final : public gate_target {
public:
    partition_target(gate::redis_turnstile& gate, sale::partition p, std::uint64_t epoch)
        : gate_(gate), partition_(p), epoch_(epoch) {}
    result<void> take_over(const sale::sale& s, const contents& with) override;

private:
    gate::redis_turnstile& gate_;
    const sale::partition partition_;
    const std::uint64_t epoch_;
};

struct restore_point {
    sale::sequence entered;  // the ledger holds everything up to here
    instant now;
};

// For a start of the embedded mode: loads the gate from the ledger and from the journal after the
// ledger's position. Throws std::runtime_error when ledger or journal cannot be read.
void restore_gate(ledger::ledger& book, journal::journal& line, gate::embedded_turnstile& gate,
                  restore_point from, sale_memory memory = {});

}  // namespace floodgate::shop
