#include "engine/kept_partitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "queue/rabbit_queue.hpp"
#include "queue/stream_queue.hpp"

namespace floodgate::engine {
namespace {

constexpr milliseconds look_for_rest_every{50};

std::unique_ptr<queue::promise_queue> open_queue(const kept_partitions::world& w,
                                                 sale::partition p) {
    const cluster_settings& c = w.with.cluster;
    if (c.queue == queue_kind::rabbitmq) {
        queue::rabbit_queue_options o;
        o.name = c.name;
        o.partition = p;
        o.consumer = w.leases.owner();
        return std::make_unique<queue::rabbit_queue>(w.redis, c.rabbitmq, std::move(o));
    }
    queue::stream_queue_options o;
    o.name = c.name;
    o.partition = p;
    o.consumer = w.leases.owner();
    return std::make_unique<queue::stream_queue>(w.redis, std::move(o));
}

}  // namespace

// In another epoch, the line is not the ledger's: it is rebuilt from the ledger, whatever it holds.
bool has_more(const gate::partition_state& line, sale::line_place entered) {
    return line.epoch == entered.epoch && line.appended > entered.number;
}

clerk::figures total_of(const std::vector<clerk::keeper_figures>& keepers) {
    clerk::figures sum;
    for (const clerk::keeper_figures& k : keepers) {
        const clerk::figures& f = k.clerk;
        sum.entered += f.entered;
        sum.refused += f.refused;
        sum.put_aside += f.put_aside;
        sum.batches += f.batches;
        sum.last_batch = std::max(sum.last_batch, f.last_batch);
        sum.last_batch_took = std::max(sum.last_batch_took, f.last_batch_took);
        sum.backlog += f.backlog;
        sum.lag = std::max(sum.lag, f.lag);
        sum.failing_since = std::min(sum.failing_since, f.failing_since);  // never is the latest
    }
    return sum;
}

kept_partitions::kept::kept(const world& w, sale::partition p)
    : post(fmt::format("line {}", p.number), w.book, w.leases),
      keeper({.book = post.book(),
              .gate = w.gate,
              .partitions = w.with.cluster.partitions,
              .open_queue = [&w, p] { return open_queue(w, p); },
              .clock = w.clock,
              .node = w.node,
              .memory = w.with.memory},
             p, w.with.clerk) {
    post.seek(
        "lines", [this] { keeper.take_over(); }, [this] { keeper.let_go(); });
}

kept_partitions::kept_partitions(const world& w)
    : world_(w),
      between_({.book = w.book,
                .state_of = [&gate = w.gate](sale::partition p) { return gate.state_of(p); },
                .partitions = w.with.cluster.partitions}) {
    for (std::uint32_t n = 0; n < w.with.cluster.partitions; ++n)
        partitions_.push_back(std::make_unique<kept>(world_, sale::partition{n}));
}

void kept_partitions::start() {
    started_ = true;
    world_.leases.start();
}

void kept_partitions::stop() {
    if (!std::exchange(started_, false)) return;
    enter_the_rest();
    world_.leases.stop();
    partitions_.clear();
}

void kept_partitions::enter_the_rest() {
    const auto deadline = std::chrono::steady_clock::now() + world_.with.clerk.drain;
    do {
        if (world_.leases.nodes_alive().size() > 1) return;
        std::this_thread::sleep_for(look_for_rest_every);
    } while (anything_left() && std::chrono::steady_clock::now() < deadline);
}

// Whether a line holds promises that the ledger does not have. Also true when this cannot be known:
// a dead node may still hold the lease.
bool kept_partitions::anything_left() {
    const auto entered = world_.book.orders().positions();
    if (!entered) return true;
    for (std::uint32_t n = 0; n < world_.with.cluster.partitions; ++n) {
        const auto gate = world_.gate.state_of({n});
        if (!gate) return true;
        const auto found = entered->find(sale::line_of({n}));
        const sale::line_place at =
            found == entered->end() ? sale::line_place{} : sale::to_place(found->second);
        if (has_more(*gate, at)) return true;
    }
    return false;
}

std::vector<clerk::keeper_figures> kept_partitions::read_keepers() const {
    std::vector<clerk::keeper_figures> out;
    for (const auto& p : partitions_) out.push_back(p->keeper.read_figures());
    return out;
}

clerk::figures kept_partitions::read_figures() const { return total_of(read_keepers()); }

}  // namespace floodgate::engine
