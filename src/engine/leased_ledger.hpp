// A lease that this node seeks, and the ledger that it may write only while it holds the lease.

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "cluster/lease.hpp"
#include "ledger/fenced_database.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::engine {

class leased_ledger {
public:
    leased_ledger(std::string name, ledger::ledger& plain, cluster::leases& leases)
        : name_(std::move(name)),
          plain_(plain),
          leases_(leases),
          book_(ledger::fenced(plain.database(), [this] { return current(); })) {}

    const std::string& name() const { return name_; }
    ledger::ledger& book() { return book_; }
    bool held() const { return number_ != 0 && leases_.holds(name_); }

    // Seeks the lease. `taken` is called when this node gets it, `left` when it loses it.
    void seek(const std::string& group, const std::function<void()>& taken,
              const std::function<void()>& left) {
        leases_.seek({.name = name_,
                      .raise = [this] { return plain_.fences().raise(name_); },
                      .gained =
                          [this, taken](std::uint64_t number) {
                              number_ = number;
                              if (taken) taken();
                          },
                      .lost =
                          [this, left] {
                              if (left) left();  // first: current work may still be written
                              number_ = 0;
                          }},
                     group);
    }

private:
    std::optional<ledger::fence> current() const {
        const std::uint64_t number = number_;
        if (number == 0 || !leases_.holds(name_)) return std::nullopt;
        return ledger::fence{name_, number};
    }

    const std::string name_;
    ledger::ledger& plain_;
    cluster::leases& leases_;
    std::atomic<std::uint64_t> number_{0};
    ledger::ledger book_;
};

}  // namespace floodgate::engine
