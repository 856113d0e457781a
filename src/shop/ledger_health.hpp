// Whether the ledger is known to fail, for acts that would do costly work and then need the ledger.
//
// A log-in hashes a password for tens of milliseconds and then writes. While the ledger fails, that
// work is wasted, so such acts are refused at once. Now and then one of them checks whether the
// ledger can be written again.

#pragma once

#include <atomic>
#include <mutex>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "ledger/order_book.hpp"

namespace floodgate::shop {

// Any thread that may block.
class ledger_health {
public:
    explicit ledger_health(ledger::order_book& book, milliseconds look_every = milliseconds(1000))
        : book_(book), look_every_(look_every) {}

    // Takes note of what an act got from the ledger. Only store_unavailable means that it fails.
    void note(const boost::system::error_code& why, instant now);

    // False: the ledger failed, and no check since then found it well. At most one caller in
    // `look_every` checks, which takes as long as the ledger does; the others are answered at once.
    bool is_well(instant now);

private:
    bool may_look(instant now);

    ledger::order_book& book_;
    const milliseconds look_every_;
    std::atomic<bool> failing_{false};
    std::mutex mutex_;
    bool looking_ = false;  // guarded by mutex_
    instant next_look_{};   // guarded by mutex_
};

}  // namespace floodgate::shop
