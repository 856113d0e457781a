// A partition's queue as the clerk's source, and the ledger, by the partition's line, as its sink.

#pragma once

#include "base/clock.hpp"
#include "clerk/ports.hpp"
#include "ledger/ledger.hpp"
#include "queue/promise_queue.hpp"

namespace floodgate::clerk {

class queue_source final : public sale::promise_source {
public:
    explicit queue_source(queue::promise_queue& q) : queue_(q) {}
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override {
        return queue_.read(after, max, out);
    }
    void entered(sale::sequence position) override { queue_.entered(position); }
    sale::sequence durable() const override { return queue_.durable(); }

private:
    queue::promise_queue& queue_;
};

class line_sink final : public order_sink {
public:
    line_sink(ledger::ledger& l, std::int64_t line, const floodgate::clock& clock)
        : ledger_(l), line_(line), clock_(clock) {}
    result<ledger::entry_report> enter(std::span<const sale::promise> batch,
                                       sale::sequence last) override {
        return ledger_.orders().enter(batch, {last, line_}, clock_.now());
    }
    result<void> put_aside(const sale::promise& p, sale::sequence last,
                           const ledger::setback& why) override {
        return ledger_.letters().put_aside(p, {last, line_}, why);
    }
    result<void> probe() override { return ledger_.orders().probe(); }
    result<sale::order> find(sale::order_no no) override { return ledger_.orders().find(no); }

private:
    ledger::ledger& ledger_;
    const std::int64_t line_;
    const floodgate::clock& clock_;
};

}  // namespace floodgate::clerk
