// The journal as the clerk's source and the ledger as its sink.

#pragma once

#include "base/clock.hpp"
#include "clerk/ports.hpp"
#include "journal/journal.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::clerk {

class journal_source final : public sale::promise_source {
public:
    explicit journal_source(journal::journal& j) : journal_(j) {}
    result<void> read(sale::sequence after, std::size_t max,
                      std::vector<sale::promise>& out) override {
        return journal_.read(after, max, out);
    }
    void entered(sale::sequence position) override { journal_.entered(position); }
    sale::sequence durable() const override { return journal_.durable(); }

private:
    journal::journal& journal_;
};

class ledger_sink final : public order_sink {
public:
    ledger_sink(ledger::ledger& l, const floodgate::clock& clock) : ledger_(l), clock_(clock) {}
    result<ledger::entry_report> enter(std::span<const sale::promise> batch,
                                       sale::sequence last) override {
        return ledger_.orders().enter(batch, last, clock_.now());
    }
    result<void> put_aside(const sale::promise& p, sale::sequence last,
                           const ledger::setback& why) override {
        return ledger_.letters().put_aside(p, last, why);
    }
    result<void> probe() override { return ledger_.orders().probe(); }
    result<sale::order> find(sale::order_no no) override { return ledger_.orders().find(no); }

private:
    ledger::ledger& ledger_;
    const floodgate::clock& clock_;
};

}  // namespace floodgate::clerk
