// The reconciliation: sees to it that stock = free + promised + unpaid + paid + refunding holds for
// every sale, in the book by itself and between gate and book.
//
// A mismatch that is more than work in flight (weighing.hpp) is a breach: the sale is paused once,
// an alert is raised, and the orders that differ are named. When the sale agrees again the alert is
// cleared; the sale stays paused until a person resumes it.

#pragma once

#include <map>
#include <mutex>

#include "alarm/board.hpp"
#include "jobs/balance_check.hpp"
#include "jobs/order_match.hpp"
#include "shop/node.hpp"

namespace floodgate::jobs {

class reconciler {
public:
    struct world {
        match_world orders;
        alarm::board& board;
        // See shop::catalogue_desk::pause. conflict: the sale is not one that can be paused, and
        // nobody can buy it anyway.
        std::function<result<void>(sale::sale_id, const std::string& why)> pause;
        std::function<result<void>(sale::sale_id)> warm_up;  // by the same desk
        // The sale that the desk is at, between gate and book: as long as the disk is slow.
        std::function<sale::sale_id()> changing_stock;
        // Where the gate is a copy, it is rebuilt from the book instead of pausing the sale.
        shop::node& node;
    };
    explicit reconciler(world w) : world_(std::move(w)) {}

    // What follows may be called from any thread.

    // One look at every sale. An error: the book cannot be read; nothing is concluded from that.
    result<void> step(instant now);
    // How long to leave it at least between the latest look and the next: looks that take long must
    // not take a share of the machine. 0: as you like.
    milliseconds rest() const;

    sale::reconciliation latest() const;
    // What is wrong with a sale now, whether or not it was seen for long; empty: nothing.
    result<ledger::findings> explain_now(sale::sale_id id);
    // Makes book and gate agree with the orders in the book. Every change is by a difference and
    // logged; no count is overwritten. The audit line tells of the book's part, and comes before
    // the gate's. not_found, and what the ledger says.
    result<ledger::repair_report> repair(
        sale::sale_id id, const std::string& note, instant now,
        const ledger::audit_maker<ledger::repair_report>& signed_by = {});

private:
    struct record {
        mismatch_watch seen;
        bool paused = false, pause_failed = false;
        bool not_rebuilt = false;      // the gate is no copy
        ledger::findings differences;  // of a breach
    };
    using standings = std::map<sale::sale_id, gate::standing>;

    standings look_at_gate(const std::vector<sale::sale_id>& ids);
    void judge(balance_check& w, instant now);
    bool rebuilds_gate(const balance_check& w, record& r);
    void declare(const balance_check& w, record& r, instant now);
    void pause(const balance_check& w, record& r);
    bool at_gate(sale::sale_id id);
    ledger::findings name_differences(sale::sale_id id, const std::string& first);
    void adopt_stock(sale::sale_id id, ledger::repair_report& report);

    const world world_;
    std::mutex look_mutex_;  // one look at a time; guards the next two
    std::vector<sale::sale_id> known_;
    std::map<sale::sale_id, record> records_;
    mutable std::mutex mutex_;  // guards the rest
    sale::reconciliation latest_;
    milliseconds rest_{0};
};

// See reconciler::rest(). `worked` is this thread's own time, `took` includes waiting for a
// database elsewhere.
milliseconds rest_after(milliseconds worked, milliseconds took);

}  // namespace floodgate::jobs
