// Ends log-ins that another process ended beside a running server, and seals the audit.
//
// A server keeps log-ins in memory. Whatever ends log-ins of an account writes their hashes to the
// ledger too, and every server reads on from the last one it has seen, once a second.

#pragma once

#include "base/failure_log.hpp"
#include "base/periodic_task.hpp"
#include "ledger/ledger.hpp"
#include "shop/node.hpp"

namespace floodgate::engine {

class account_watch {
public:
    static constexpr milliseconds look_every{1000};

    account_watch(ledger::ledger& book, shop::node& node, clock& clock);

    // To be called before the log-ins are read from the ledger: what was ended before is not there.
    void begin();
    void start() { task_.start(); }
    void stop() { task_.stop(); }
    void look();

private:
    void end_logins();
    void seal();

    ledger::ledger& book_;
    shop::node& node_;
    clock& clock_;
    std::int64_t seen_ = 0;
    instant forgotten_at_{}, head_told_at_{};
    periodic_task task_;
};

}  // namespace floodgate::engine
