// Closes orders that were not paid by their deadline, and gives their units back.
//
// Deadlines are stored in the ledger, so a restart or a missed step loses none: the next step
// closes everything that is due by then. An order for which a payment was begun is left to the
// payment inquiries.

#pragma once

#include <atomic>

#include "base/clock.hpp"
#include "base/failure_log.hpp"
#include "base/histogram.hpp"
#include "ledger/move_book.hpp"
#include "shop/settlement.hpp"

namespace floodgate::jobs {

struct deadline_figures {
    std::uint64_t closed = 0;
    std::uint64_t sent_to_channel = 0;
    std::uint64_t late_ms_max = 0;  // the longest time between a deadline and its closing
    histogram::reading late_ms;
};

class deadline_closer {
public:
    struct world {
        ledger::move_book& moves;
        const shop::settlement& settlement;
        const floodgate::clock& clock;
    };
    explicit deadline_closer(world w, std::size_t batch_max = 2000)
        : world_(w), batch_max_(batch_max) {}

    // Closes everything that is due, one batch in each transaction. One thread. When the ledger
    // fails, the rest is left for the next step.
    void step();

    deadline_figures read_figures() const;  // any thread

private:
    void count(const ledger::due_report& report);

    const world world_;
    const std::size_t batch_max_;
    failure_log trouble_{log::level::error, "jobs.deadline_closer"};
    std::atomic<std::uint64_t> closed_{0}, sent_to_channel_{0}, late_ms_max_{0};
    histogram late_ms_{50, 100, 250, 500, 1000, 2500, 5000, 10'000, 30'000, 60'000};
};

}  // namespace floodgate::jobs
