// Finishes payments in points that were interrupted: by a crash, or by a database that did not
// answer. Looks at every try that is open for some time and does what the order's state says.
//
//   unpaid              the order is paid, as its buyer asked for; then the points are taken
//   unpaid and closing  left to the payment inquiries, which give the points up and close the order
//   paid, refunding     the points are taken
//   closed, failed      the points are given up
//   refunded            the same: a refund that found points taken has given them back
//
// A try whose order the ledger does not know, or knows with a payment in another method, comes from
// a ledger that was restored from a backup. It is given up after an hour and logged.

#pragma once

#include <mutex>

#include "base/clock.hpp"
#include "base/failure_log.hpp"
#include "ledger/move_book.hpp"
#include "points/accounts.hpp"
#include "shop/checkout.hpp"

namespace floodgate::jobs {

struct points_settler_options {
    std::size_t at_once = 200;        // tries in one step
    milliseconds settle_after{5000};  // a payment that goes well takes much less
    milliseconds stray_after{3'600'000};
};

struct points_figures {
    std::uint64_t confirmed = 0;  // tries that this job has settled
    std::uint64_t cancelled = 0;
    std::size_t open = 0;  // tries that were open for some time at the last look
};

class points_settler {
public:
    struct world {
        points::accounts& accounts;
        ledger::move_book& moves;
        shop::checkout& checkout;
        const floodgate::clock& clock;
    };
    explicit points_settler(world w, points_settler_options o = {}) : world_(w), options_(o) {}

    // True: more may be open. One thread. When a store fails, the rest is left for the next step.
    bool step();

    points_figures read_figures() const;  // any thread

private:
    enum class verdict : std::uint8_t { leave = 1, confirm, cancel };

    result<void> settle(const points::open_try& t);
    result<verdict> judge(const points::open_try& t);
    verdict judge_stray(const points::open_try& t, const char* why);
    result<void> apply(const points::open_try& t, verdict v);
    void count(std::uint64_t points_figures::*what);

    const world world_;
    const points_settler_options options_;
    failure_log trouble_{log::level::error, "jobs.points_settler"};
    mutable std::mutex mutex_;
    points_figures figures_;  // guarded by mutex_
};

}  // namespace floodgate::jobs
