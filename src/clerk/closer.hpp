// Closes orders that nobody paid by their deadline, and gives their units back.
//
// The deadline stands in the ledger, so a restart or a missed step loses none: the next step closes
// all that is due by then. An order for which a payment was begun goes to the asker instead.

#pragma once

#include <array>
#include <mutex>

#include "base/clock.hpp"
#include "clerk/aftermath.hpp"
#include "clerk/trouble.hpp"
#include "ledger/move_book.hpp"

namespace floodgate::clerk {

// How long after their deadlines orders were dealt with.
struct lateness {
    // Upper bounds in milliseconds; the last count has none.
    static constexpr std::array<std::int64_t, 8> bounds{50, 100, 250, 500, 1000, 2500, 5000, 10000};

    std::array<std::uint64_t, bounds.size() + 1> counts{};
    std::int64_t late_ms_total = 0, late_ms_max = 0;

    void add(milliseconds late);
};

struct closer_figures {
    std::uint64_t closed = 0;
    std::uint64_t sent_to_channel = 0;
    lateness late;
};

class closer {
public:
    struct world {
        ledger::move_book& moves;
        const aftermath& after;
        const floodgate::clock& clock;
    };
    explicit closer(world w, std::size_t batch_max = 2000) : world_(w), batch_max_(batch_max) {}

    // Everything due by now, a batch a transaction. One thread. When the ledger fails, the rest is
    // left for the next step.
    void step();

    closer_figures read_figures() const;  // any thread

private:
    void count(const ledger::due_report& report);

    const world world_;
    const std::size_t batch_max_;
    trouble trouble_{"closer"};
    mutable std::mutex mutex_;
    closer_figures figures_;  // guarded by mutex_
};

}  // namespace floodgate::clerk
