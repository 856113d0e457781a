// The reconciliation: checks for every sale that stock = free + promised + unpaid + paid +
// refunding, within the ledger and between gate and ledger.
//
// A mismatch that is more than work in flight (shop/balance_check.hpp) is a breach: the sale is
// paused once, an alert is raised, and the orders that differ are named. When the sale agrees again
// the alert is cleared; the sale stays paused until a person resumes it.

#pragma once

#include <atomic>
#include <map>
#include <mutex>

#include "alarm/board.hpp"
#include "shop/balance_check.hpp"
#include "shop/reconciliation_desk.hpp"

namespace floodgate::jobs {

class reconciler {
public:
    struct world {
        shop::match_world orders;
        alarm::board& board;
        shop::catalogue_desk& catalogue;  // pauses a sale
        ledger::ledger& timed_book;       // through which it is paused: the timed jobs' own
        shop::reconciliation_desk& desk;  // where each look is published
        // Where the gate is a copy, it is rebuilt from the book instead of pausing the sale.
        shop::node& node;
    };
    explicit reconciler(world w) : world_(w) {}

    // Any thread may call the following.

    // One look at every sale. An error: the ledger cannot be read, and no sale was judged.
    result<void> step(instant now);
    // How long to leave it at least between the latest look and the next: looks that take long must
    // not take a share of the machine. 0: as you like.
    milliseconds rest() const { return rest_; }

private:
    using balance_check = shop::balance_check;
    struct record {
        shop::mismatch_watch seen;
        bool paused = false, pause_failed = false;
        bool not_rebuilt = false;      // this mode has no rebuild of the gate
        ledger::findings differences;  // of a breach
    };
    using standings = std::map<sale::sale_id, gate::standing>;

    standings look_at_gate(const std::vector<sale::sale_id>& ids);
    void judge(balance_check& w, instant now);
    bool rebuilds_gate(const balance_check& w, record& r);
    void declare(const balance_check& w, record& r, instant now);
    void pause(const balance_check& w, record& r);
    result<void> close_sale(sale::sale_id id, const std::string& why);
    ledger::findings name_differences(sale::sale_id id, const std::string& first);

    const world world_;
    std::mutex look_mutex_;  // one look at a time; guards the next two
    std::vector<sale::sale_id> known_;
    std::map<sale::sale_id, record> records_;
    std::atomic<milliseconds> rest_{milliseconds(0)};
};

// See reconciler::rest(). `worked` is this thread's own processor time; `took` also includes
// waiting for a database server.
milliseconds rest_after(milliseconds worked, milliseconds took);

}  // namespace floodgate::jobs
