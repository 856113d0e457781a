// The embedded mode: everything in one process and one data directory.

#include "base/or_throw.hpp"
#include "engine/data_directory.hpp"
#include "engine/journal_line.hpp"
#include "engine/lone_node.hpp"
#include "engine/open_ledger.hpp"
#include "engine/points_store.hpp"
#include "engine/ports.hpp"
#include "gate/embedded_turnstile.hpp"
#include "guard/tickets.hpp"
#include "shop/reloading_gate.hpp"
#include "store/files/posix_files.hpp"

namespace floodgate::engine {
namespace {

// Makes the data directory, and says where the journal is.
journal::options prepare_data(const settings& s) {
    prepare_data_directory(s.data);
    journal::options o = s.journal;
    o.directory = s.journal_directory();
    return o;
}

class embedded_ports final : public ports {
public:
    embedded_ports(const settings& with, const even_clock& clock)
        : backlog_max_(with.gate.backlog_max),
          memory_(with.memory),
          clock_(clock),
          where_(prepare_data(with)),
          book_(open_database(with)),
          points_(with),
          entered_(or_throw(book_.orders().position(), "ledger")),
          journal_(files_, where_, entered_, or_throw(book_.orders().journal_id(), "ledger")),
          gate_(journal_, with.gate),
          whole_gate_(gate_, book_, clock, with.memory),
          line_({journal_, book_, gate_, node_, clock}, with.clerk, entered_) {
        // From here on a missing journal is noticed, even before anything was entered.
        or_throw(book_.orders().remember_journal(journal_.id()), "ledger");
    }

    ledger::ledger& book() override { return book_; }
    ledger::ledger& timed_book() override { return book_; }
    points::accounts* points() override { return points_.accounts(); }
    gate::turnstile& gate() override { return whole_gate_; }
    guard::ticket_office& tickets() override { return tickets_; }
    shop::node& node() override { return node_; }
    promise_lines& lines() override { return line_; }

    void join(const local_shop& here, jobs::timed_jobs&) override {
        node_.join(here);
        here.recent.start_from(or_throw(book_.orders().latest_number(), "ledger"));
    }
    void load_gate() override {
        shop::restore_gate(book_, journal_, gate_, {.entered = entered_, .now = clock_.now()},
                           memory_);
    }
    void start() override { line_.start(); }
    void stop() override { line_.stop(); }

    std::vector<std::string> durability() override {
        return {"journal: fdatasync before every acknowledgement", "ledger: " + book_.durability()};
    }
    std::optional<gate_sight> look_at_gate() override {
        return gate_sight{.full = journal_.backlog() < backlog_max_ ? 0U : 1U};
    }
    void measure(metrics_sources& to) override {
        to.answers = gate_.read_counts().by_answer;
        to.journal = journal_.read_figures();
        to.backlog = journal_.backlog();
        to.clerk = line_.read_figures();
    }

private:
    const std::uint64_t backlog_max_;
    const shop::sale_memory memory_;
    const even_clock& clock_;
    const journal::options where_;
    store::posix_files files_;
    ledger::ledger book_;
    points_store points_;
    const sale::sequence entered_;
    journal::journal journal_;
    gate::embedded_turnstile gate_;
    shop::reloading_embedded_gate whole_gate_;
    guard::tickets tickets_;
    lone_node node_;
    journal_line line_;
};

}  // namespace

std::unique_ptr<ports> make_embedded_ports(const settings& with, const even_clock& clock) {
    return std::make_unique<embedded_ports>(with, clock);
}

}  // namespace floodgate::engine
