// Tries again to enter promises that were put aside, after ever longer pauses. A promise that has
// used up its retries becomes a dead letter, for an operator to decide on.

#pragma once

#include <mutex>

#include "alarm/board.hpp"
#include "base/clock.hpp"
#include "base/failure_log.hpp"
#include "ledger/ledger.hpp"
#include "sale/retry_schedule.hpp"
#include "shop/letter_desk.hpp"

namespace floodgate::jobs {

struct letter_retry_figures {
    std::uint64_t retried = 0;
    std::uint64_t revived = 0;  // of these, entered
    std::uint64_t died = 0;     // of these, dead: out of tries, or rejected
};

class letter_retry {
public:
    struct world {
        ledger::ledger& book;  // the fenced one, which the desk writes through as well
        shop::letter_desk& desk;
        alarm::board& alarms;
        const floodgate::clock& clock;
    };
    explicit letter_retry(world w, sale::retry_schedule retries = {}, std::size_t at_once = 100)
        : world_(w), retries_(std::move(retries)), at_once_(at_once) {}

    // Tries the letters that are due. True: there may be more. One thread. While the ledger is
    // unreachable the failed try cannot be noted either, so an outage uses up no retries.
    bool step();

    // Raises or clears the alert of dead letters.
    void watch();

    letter_retry_figures read_figures() const;  // any thread

private:
    result<void> retry(const ledger::letter& l);
    result<void> set_back(const ledger::letter& l, boost::system::error_code why);
    void count(std::uint64_t letter_retry_figures::*what);

    const world world_;
    const sale::retry_schedule retries_;
    const std::size_t at_once_;
    failure_log trouble_{log::level::error, "jobs.letter_retry"};
    failure_log watching_{log::level::error, "jobs.letter_count"};
    mutable std::mutex mutex_;
    letter_retry_figures figures_;  // guarded by mutex_
};

}  // namespace floodgate::jobs
