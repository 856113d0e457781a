// A node of a cluster: Redis as gate and queue, MariaDB as ledger, other nodes beside it.

#include <fmt/format.h>

#include <filesystem>

#include "base/log.hpp"
#include "base/or_throw.hpp"
#include "cluster/redis_bus.hpp"
#include "cluster/redis_leases.hpp"
#include "cluster/start_turn.hpp"
#include "engine/bus_topic.hpp"
#include "engine/cluster_node.hpp"
#include "engine/gate_options.hpp"
#include "engine/kept_partitions.hpp"
#include "engine/open_ledger.hpp"
#include "engine/points_store.hpp"
#include "engine/ports.hpp"
#include "engine/redis_durability.hpp"
#include "guard/shared_tickets.hpp"
#include "shop/reloading_gate.hpp"
#include "store/redis/facts.hpp"

namespace floodgate::engine {
namespace {

store::redis_options prepare_data(const settings& s) {
    std::error_code error;
    std::filesystem::create_directories(s.data, error);
    if (error) throw std::runtime_error(s.data + ": " + error.message());
    return s.cluster.redis;
}

class clustered_ports final : public ports {
public:
    clustered_ports(const settings& with, const even_clock& clock);

    ledger::ledger& book() override { return book_; }
    ledger::ledger& timed_book() override { return duty_.book(); }
    points::accounts* points() override { return points_.accounts(); }
    gate::turnstile& gate() override { return whole_gate_; }
    guard::ticket_office& tickets() override { return tickets_; }
    shop::node& node() override { return node_; }
    promise_lines& lines() override { return lines_; }

    void join(const local_shop& here, jobs::timed_jobs& jobs) override;
    void load_gate() override;
    void start() override;
    void stop() override;
    std::vector<std::string> durability() override;
    std::optional<gate_sight> look_at_gate() override;
    void measure(metrics_sources& to) override;

private:
    const settings& with_;
    store::redis redis_;
    const store::redis_facts facts_;
    std::optional<cluster::start_turn> turn_;  // held until the ledger is ready for every node
    ledger::ledger book_;
    points_store points_;
    cluster::redis_bus bus_;
    gate::redis_turnstile gate_;
    shop::reloading_redis_gate whole_gate_;
    guard::shared_tickets tickets_;
    cluster::redis_leases leases_;
    leased_ledger duty_;
    cluster_node node_;
    kept_partitions lines_;
};

clustered_ports::clustered_ports(const settings& with, const even_clock& clock)
    : with_(with),
      redis_(prepare_data(with)),
      facts_(store::probe_redis(with.cluster.redis)),
      turn_(std::in_place, redis_, with.cluster.name),
      book_(open_database(with)),
      points_(with),
      bus_(redis_, {.name = with.cluster.name}),
      gate_(redis_, gate_options(with),
            [this](sale::sale_id id) {
                bus_.publish(to_text(bus_topic::lifted), std::to_string(id.value));
            }),
      whole_gate_(gate_, with.cluster.partitions, book_, clock, with.memory),
      tickets_(redis_, with.cluster.name),
      leases_(redis_, {.name = with.cluster.name, .node = with.node, .lease = with.cluster.lease}),
      duty_("timed_jobs", book_, leases_),
      node_({.name = with.cluster.name,
             .partitions = with.cluster.partitions,
             .clock = clock,
             .redis = redis_,
             .bus = bus_,
             .book = book_,
             .gate = gate_,
             .duty = duty_}),
      lines_({with, clock, redis_, book_, gate_, leases_, node_}) {
    duty_.seek("", {}, {});
}

void clustered_ports::join(const local_shop& here, jobs::timed_jobs& jobs) {
    std::unique_ptr<queue::reminders> reminders;
    if (with_.cluster.queue == queue_kind::rabbitmq)
        reminders = std::make_unique<queue::reminders>(with_.cluster.rabbitmq, with_.cluster.name,
                                                       [&jobs] { jobs.look_at_deadlines(); });
    node_.join(here, std::move(reminders));
}

// Does nothing: the partitions' keepers, on whichever node, load the gate.
void clustered_ports::load_gate() {
    gate_.skip_past(or_throw(book_.orders().latest_number(), "ledger"));
}

void clustered_ports::start() {
    turn_.reset();
    node_.start();
    lines_.start();
}

void clustered_ports::stop() {
    node_.rest();
    lines_.stop();
    node_.stop();
}

// A weakness is reported, or in strict mode refused.
std::vector<std::string> clustered_ports::durability() {
    std::vector<std::string> weak = weaknesses_of(facts_);
    for (const std::string& line : book_.weaknesses()) weak.push_back(line);
    if (with_.cluster.strict && !weak.empty())
        throw std::runtime_error(fmt::format("cluster.strict: {}", fmt::join(weak, "; ")));
    std::vector<std::string> lines{say_durability(facts_), "ledger: " + book_.durability()};
    for (const std::string& line : weak) {
        log::warning("engine.weak", "what", line);
        lines.push_back("weak: " + line);
    }
    return lines;
}

std::optional<gate_sight> clustered_ports::look_at_gate() {
    gate_sight out{.partitions = with_.cluster.partitions};
    for (std::uint32_t n = 0; n < out.partitions; ++n) {
        const auto state = gate_.state_of({n});
        if (!state) return std::nullopt;
        if (!state->open)
            ++out.closed;
        else if (state->appended - state->entered >= with_.gate.backlog_max)
            ++out.full;
    }
    return out;
}

void clustered_ports::measure(metrics_sources& to) {
    const auto gate = gate_.read_counts();
    to.answers = gate.by_answer;
    to.clerk = lines_.read_figures();
    to.backlog = to.clerk.backlog;
    to.cluster = cluster_figures{.gate_calls = gate.calls,
                                 .gate_unanswered = gate.unanswered,
                                 .gate_cached_refusals = gate.cached_refusals,
                                 .to_release = gate.to_release,
                                 .bus = bus_.read_figures(),
                                 .keepers = lines_.read_keepers(),
                                 .nodes_alive = leases_.nodes_alive().size(),
                                 .on_duty = duty_.held()};
}

}  // namespace

std::unique_ptr<ports> make_clustered_ports(const settings& with, const even_clock& clock) {
    return std::make_unique<clustered_ports>(with, clock);
}

}  // namespace floodgate::engine
