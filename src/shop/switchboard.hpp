// The switches as this node last read them: asked by every attempt to buy, so it costs one load.
//
// The ledger is the truth. A node reads it twice a second, so a change made on one node reaches the
// others within a second; the node that makes the change follows it at once. While the ledger does
// not answer, the last known positions stay.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "ledger/switch_book.hpp"

namespace floodgate::shop {

class switchboard {
public:
    explicit switchboard(ledger::switch_book& book) : book_(book) {}

    // Any thread, never block.
    bool logins() const { return is_on(logins_bit); }
    bool registration() const { return is_on(registration_bit); }
    bool refunds() const { return is_on(refunds_bit); }
    bool sales() const { return is_on(sales_bit); }
    ledger::switches seen() const;  // at the last look

    // Any thread, block.
    result<ledger::switches> change(const ledger::switch_change& to,
                                    const ledger::audit_maker<ledger::switch_book::changed>& line);
    result<void> look();

private:
    using bits = std::uint8_t;
    static constexpr bits logins_bit = 1, registration_bit = 2, refunds_bit = 4, sales_bit = 8;

    bool is_on(bits which) const { return (off_.load(std::memory_order_relaxed) & which) == 0; }
    void take_over(const ledger::switches& s);

    ledger::switch_book& book_;
    std::mutex acting_;  // so that an old look does not undo a newer change
    // On a line of its own: purchases read it, and nothing else that changes may lie beside it.
    alignas(64) std::atomic<bits> off_{0};
    alignas(64) mutable std::mutex mutex_;  // held for a moment only
    ledger::switches seen_;                 // guarded by mutex_
};

}  // namespace floodgate::shop
