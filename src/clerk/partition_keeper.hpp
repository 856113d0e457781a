// Keeps one partition of a cluster while this node holds its lease: rebuilds its gate from the
// ledger where it is missing or wrong, and enters the partition's promises in the ledger.
//
// The gate is a copy. It is rebuilt under a new epoch when it is missing (Redis was flushed), when
// it was closed (it disagrees with the ledger), and when its place in the line is not the ledger's
// (Redis went back to an older state, or a clerk died between its commit and its acknowledgement).
// Meanwhile buyers are told `busy`. The steps have this order, so that nothing is lost and nothing
// sold twice:
//
//   1. the ledger gives out a new epoch; no promise of an older one is entered by place any more
//   2. the gate closes: no more promises
//   3. the promises in the line are entered by order number, whatever their place
//   4. the gate takes over terms and held orders from the ledger, and opens

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/failure_log.hpp"
#include "base/periodic_task.hpp"
#include "clerk/clerk.hpp"
#include "clerk/ledger_sink.hpp"
#include "gate/redis_turnstile.hpp"
#include "queue/promise_queue.hpp"
#include "shop/gate_loader.hpp"

namespace floodgate::clerk {

struct keeper_figures {
    bool holds = false;    // this node keeps the partition
    bool serving = false;  // and is entering its promises
    std::uint64_t epoch = 0;
    std::uint64_t rebuilds = 0;  // since start
    milliseconds last_rebuild{0};
    figures clerk;  // counted since start; backlog and lag only while serving
};

class partition_keeper {
public:
    struct world {
        // Writes only while this node holds the lease: see ledger/fenced_database.hpp.
        ledger::ledger& book;
        gate::redis_turnstile& gate;
        std::uint32_t partitions = 1;
        std::function<std::unique_ptr<queue::promise_queue>()> open_queue;
        const floodgate::clock& clock;
        shop::node& node;  // told of orders entered or refused
        shop::sale_memory memory{};
    };
    partition_keeper(world w, sale::partition p, const options& o);
    ~partition_keeper();  // let_go(), then waits for the thread

    // Any thread.
    void take_over();
    // When this returns, nothing more is entered, and everything that was entered is acknowledged,
    // so the next keeper goes on from there. It waits for this for a few seconds at most; after
    // that the fence keeps late writes out.
    void let_go();

    keeper_figures read_figures() const;

private:
    // A clerk at work, with what it reads from and writes to.
    struct shift;

    next_step step();
    void work();
    bool is_wanted() const;
    void rest(milliseconds time);

    enum class finding : std::uint8_t { agrees = 1, differs, unknown };
    finding examine(bool taking_over);
    bool rebuild();
    result<void> build_up(std::uint64_t epoch);
    result<void> drain_line();
    result<void> enter_strays(std::span<const sale::promise> found);
    result<void> enter_each(std::span<const sale::promise> found);
    result<void> load_sales(std::uint64_t epoch);
    void serve();
    void tell(ledger::entry_report report);

    const world world_;
    const shop::settlement settlement_;
    const sale::partition partition_;
    const sale::line_id line_;
    const options options_;
    failure_log trouble_;

    std::atomic<bool> broken_{false};  // the clerk at work cannot go on
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool wanted_ = false, working_ = false;  // guarded by mutex_
    std::shared_ptr<shift> shift_;           // the same
    keeper_figures figures_;                 // the same
    periodic_task task_;
};

}  // namespace floodgate::clerk
