// What follows a move in the ledger: units go back to the gate, then the news is told.
//
// Handlers, timed jobs and the clerk all settle through here.

#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <span>

#include "gate/turnstile.hpp"
#include "ledger/move_book.hpp"
#include "sale/news.hpp"

namespace floodgate::shop {

// Any thread. After a crash before the settlement, the restart builds the gate from the ledger.
class settlement {
public:
    // `told` may be empty. The turnstile must outlive this. A buyer who gives an order up has to
    // wait for `cool_down` in that sale, counted from the time of the move in the ledger, so that a
    // gate that is rebuilt (gate_loader.hpp) says the same. `withdrawn` may be empty, too; it hears
    // of every sale whose stock became smaller, after the gate.
    settlement(gate::turnstile& turnstile, sale::tell_news told,
               milliseconds cool_down = milliseconds(0),
               std::function<void(sale::sale_id)> withdrawn = {})
        : turnstile_(turnstile),
          told_(std::move(told)),
          cool_down_(cool_down),
          withdrawn_(std::move(withdrawn)) {}

    // Skips orders that did not move. The units are released before the news is told, so that a
    // buyer who hears that a unit is back can buy it.
    void settle(std::span<const ledger::move_outcome> outcomes) const;
    void settle(const ledger::move_outcome& outcome) const { settle({&outcome, 1}); }

    // The same for orders that were just entered. Those that the ledger refused hold no units. An
    // order that was entered before and refunded since has a settlement of its own, which alone
    // knows whether its units were withdrawn.
    void settle(std::span<const sale::order_news> news) const;

    // How many orders came into this state by a move, since start.
    std::uint64_t moves_to(sale::order_state state) const {
        return moves_[static_cast<std::size_t>(state)].load(std::memory_order_relaxed);
    }

private:
    using returned = gate::turnstile::returned;

    gate::cool_down wait_after(const ledger::move_outcome& m) const;
    void finish(std::span<const returned> back, std::span<const sale::order_news> news) const;

    gate::turnstile& turnstile_;
    const sale::tell_news told_;
    const milliseconds cool_down_;
    const std::function<void(sale::sale_id)> withdrawn_;
    mutable std::array<std::atomic<std::uint64_t>, sale::order_states + 1> moves_{};
};

}  // namespace floodgate::shop
