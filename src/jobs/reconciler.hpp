// The reconciliation: checks for every sale that stock = free + promised + unpaid + paid +
// refunding, within the ledger and between gate and ledger.
//
// A mismatch that is more than work in flight (balance_check.hpp) is a breach: the sale is paused
// once, an alert is raised, and the orders that differ are named. In a cluster a gate that differs
// is rebuilt from the ledger instead. When the sale agrees again the alert is cleared; the sale
// stays paused until a person resumes it.

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
        // See shop::catalogue_desk::pause. conflict: the sale is in a state in which it cannot be
        // paused, and no buyer can buy it.
        std::function<result<void>(sale::sale_id, const std::string& why)> pause;
        std::function<result<void>(sale::sale_id)> warm_up;  // by the same desk
        // The sale whose stock the desk is changing; gate and ledger may differ meanwhile.
        std::function<sale::sale_id()> changing_stock;
        // In a cluster, has the gate rebuilt from the ledger instead of pausing the sale.
        shop::node& node;
    };
    explicit reconciler(world w) : world_(std::move(w)) {}

    // Any thread may call the following.

    // One look at every sale. An error: the ledger cannot be read, and no sale was judged.
    result<void> step(instant now);
    // The least pause before the next look, so that long looks do not take too much of the machine.
    // 0: no pause is needed.
    milliseconds rest() const;

    sale::reconciliation latest() const;
    // What is wrong with a sale now, even if it may be work in flight; empty: nothing.
    result<ledger::findings> explain_now(sale::sale_id id);
    // Makes ledger and gate agree with the orders in the ledger. Every change is by a difference
    // and is logged; no count is overwritten. The audit line is about the ledger's part and is
    // written before the gate is changed. not_found, and the errors of the ledger.
    result<ledger::repair_report> repair(
        sale::sale_id id, const std::string& note, instant now,
        const ledger::audit_maker<ledger::repair_report>& signed_by = {});

private:
    struct record {
        mismatch_watch seen;
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

// See reconciler::rest(). `worked` is this thread's own processor time; `took` also includes
// waiting for a database server.
milliseconds rest_after(milliseconds worked, milliseconds took);

}  // namespace floodgate::jobs
