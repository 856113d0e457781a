// Gives buyers the points that they earn with orders which they paid in money. The ledger says what
// is owed (ledger/earning_book.hpp); the accounts of points may live in another database or
// process.
//
//   owed      order paid, refunding  the accounts note the points (try_earn): promised, until the
//                                    buyer's time to give the order back is over
//             order refunded         the points are given up: gone
//   promised  order paid             the buyer gets them (confirm): given
//             order refunding        looked at again a little later
//             order refunded         the points are given up (cancel): gone
//
// The accounts are changed first, the ledger afterwards. Every call may be repeated, so the next
// step finishes what a crash has interrupted between the two.

#pragma once

#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/failure_log.hpp"
#include "ledger/earning_book.hpp"
#include "points/accounts.hpp"
#include "shop/checkout.hpp"

namespace floodgate::jobs {

struct points_earning_options {
    std::size_t at_once = 100;  // in one step
    milliseconds refund_within = shop::checkout::refund_within_default;
    // Added to the buyer's time: a refund that was asked for in the last moment may still be on its
    // way to the ledger.
    milliseconds give_after{5000};
    milliseconds look_again_after{30'000};  // an order that is being refunded
    milliseconds stuck_for{600'000};        // an earning that makes no sense
    // While a store fails, the pauses between two tries grow from the first to the last.
    milliseconds pause_first{1000}, pause_last{10'000};
    milliseconds count_every{15'000};
};

class points_earnings {
public:
    struct world {
        points::accounts& accounts;
        ledger::earning_book& earnings;
        const floodgate::clock& clock;
    };
    explicit points_earnings(world w, points_earning_options o = {}) : world_(w), options_(o) {}

    // True: more may be due. One thread. When a store fails, the rest is left for a later step.
    bool step();

    ledger::earning_counts read_figures() const;  // any thread; some seconds old

private:
    enum class act : std::uint8_t { promise = 1, give, give_up, wait, puzzle };
    static act act_for(const ledger::due_earning& e);

    result<std::size_t> advance_all(instant now);  // how many were changed
    result<ledger::earning_change> advance(const ledger::due_earning& e, instant now);
    result<ledger::earning_change> promise(const ledger::earning& e, instant now);
    result<ledger::earning_change> give(const ledger::earning& e, instant now);
    result<ledger::earning_change> give_up(const ledger::earning& e, instant now);
    // What to do after an answer that nothing here expects.
    result<ledger::earning_change> after(const ledger::earning& e,
                                         const boost::system::error_code& error, instant now);
    ledger::earning_change set_aside(const ledger::earning& e, const std::string& why, instant now);
    void pause(const std::string& why, instant now);
    void count(instant now);

    const world world_;
    const points_earning_options options_;
    failure_log trouble_{log::level::error, "jobs.points_earnings"};
    instant resume_at_{}, next_count_{};
    mutable std::mutex mutex_;
    ledger::earning_counts figures_;  // guarded by mutex_
};

}  // namespace floodgate::jobs
