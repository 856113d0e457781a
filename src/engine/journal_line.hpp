// The one line of promises of the embedded mode: the journal, and the clerk that follows it.

#pragma once

#include "clerk/clerk.hpp"
#include "clerk/ledger_sink.hpp"
#include "engine/ports.hpp"
#include "journal/journal.hpp"

namespace floodgate::engine {

class journal_line final : public promise_lines {
public:
    struct world {
        journal::journal& journal;
        ledger::ledger& book;
        gate::turnstile& gate;
        shop::node& node;
        const floodgate::clock& clock;
    };
    // `entered` is the ledger's position, with which the journal was opened.
    journal_line(const world& w, const clerk::options& o, sale::sequence entered);

    void start() override;
    void stop() override;
    shop::in_flight& in_flight() override { return between_; }
    clerk::figures read_figures() const override { return clerk_.read_figures(); }

private:
    journal::journal& journal_;
    clerk::ledger_sink sink_;
    shop::journal_in_flight between_;
    clerk::clerk clerk_;
};

}  // namespace floodgate::engine
