// The ledger as the clerk's sink: entering a batch moves the position of one line.

#pragma once

#include "base/clock.hpp"
#include "clerk/ports.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::clerk {

class ledger_sink final : public order_sink {
public:
    ledger_sink(ledger::ledger& l, sale::line_id line, const floodgate::clock& clock)
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
    bool holds_others_up() override { return ledger_.writer_is_awaited(); }

private:
    ledger::ledger& ledger_;
    const sale::line_id line_;
    const floodgate::clock& clock_;
};

}  // namespace floodgate::clerk
