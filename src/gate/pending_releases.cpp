#include "gate/pending_releases.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/log.hpp"
#include "gate/scripts.hpp"

namespace floodgate::gate {
namespace {

constexpr std::size_t waiting_max = 1'000'000;
constexpr milliseconds step_every{20};  // how soon the refusal cache copies a sale
constexpr int steps_per_round = 10;     // 200 ms: refusals checked, releases tried again
constexpr std::size_t tries_per_round = 1000;
constexpr std::size_t pipeline_max = 1000;

store::words arguments_for(const pending_releases::unit& u) {
    return {packed(u.buyer), packed(u.order), std::to_string(to_ms(u.wait.from)),
            std::to_string(to_ms(u.wait.until)), std::to_string(u.withdrawn_at)};
}

}  // namespace

pending_releases::pending_releases(store::redis& redis, const gate_keys& keys,
                                   refusal_cache& refusals,
                                   std::function<void(sale::sale_id)> lifted)
    : redis_(redis),
      keys_(keys),
      refusals_(refusals),
      lifted_(std::move(lifted)),
      task_("gate.pending_releases", step_every, [this] { step(); }) {
    task_.start();
}

pending_releases::~pending_releases() {
    task_.stop();
    if (!waiting_.empty())
        log::warning("gate.releases_forgotten", "orders", waiting_.size());  // a rebuild finds them
}

std::size_t pending_releases::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
}

store::words pending_releases::keys_for(const unit& u) const {
    const sale::partition p = keys_.home_of(u.sale);
    const sale_keys of = keys_.of(u.sale);
    return {keys_.gate(p), keys_.freed(p), of.sale, of.buyers, of.cooling};
}

pending_releases::outcome pending_releases::try_release(const unit& u) {
    const auto back = redis_.run(scripts::release(), keys_for(u), arguments_for(u));
    if (!back) return outcome::unanswered;
    if (back->integer == scripts::release_later) return outcome::too_early;
    // Also if the units were withdrawn: a copy of the sold-out sale would still tell their buyer of
    // the order.
    if (back->integer > 0) {
        refusals_.lift(u.sale);
        if (lifted_) lifted_(u.sale);
    }
    return outcome::done;
}

void pending_releases::release(const unit& u) {
    if (try_release(u) != outcome::done) keep(u);
}

// The first release runs alone and thereby loads the script into the server; the others follow in
// pipelines. A release that fails in a pipeline (say, another server has its keys) is tried alone.
void pending_releases::release_all(std::span<const unit> units) {
    if (units.empty()) return;
    release(units.front());
    for (units = units.subspan(1); !units.empty();) {
        const auto some = units.first(std::min(pipeline_max, units.size()));
        units = units.subspan(some.size());
        std::vector<store::redis::command> commands;
        for (const unit& u : some)
            commands.push_back(store::to_run(scripts::release(), keys_for(u), arguments_for(u)));
        const auto back = redis_.ask_all(commands);
        std::set<sale::sale_id> came_back;
        for (std::size_t i = 0; i < some.size(); ++i) {
            const bool done = back && (*back)[i].what == store::redis_reply::kind::integer;
            if (!done) {
                release(some[i]);
            } else if ((*back)[i].integer == scripts::release_later) {
                keep(some[i]);
            } else if ((*back)[i].integer > 0) {
                came_back.insert(some[i].sale);
            }
        }
        for (const sale::sale_id id : came_back) {
            refusals_.lift(id);
            if (lifted_) lifted_(id);
        }
    }
}

void pending_releases::keep(const unit& u) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < waiting_max) return waiting_.push_back(u);
    log::error("gate.release_dropped", "sale", u.sale.value, "order", u.order.value);
}

// One release that comes too early does not hold up the others: it goes to the end.
void pending_releases::try_again() {
    for (std::size_t left = std::min(tries_per_round, waiting()); left > 0; --left) {
        unit next;
        {
            const std::lock_guard lock(mutex_);
            if (task_.stopping() || waiting_.empty()) return;
            next = waiting_.front();
        }
        const outcome now = try_release(next);
        if (now == outcome::unanswered) return;
        const std::lock_guard lock(mutex_);
        waiting_.pop_front();  // only this thread takes from the front
        if (now == outcome::too_early) waiting_.push_back(next);
    }
}

void pending_releases::step() {
    const bool round = ++steps_ >= steps_per_round;
    if (round) {
        steps_ = 0;
        try_again();
    }
    if (round || refusals_.wanted()) refusals_.refresh();
}

}  // namespace floodgate::gate
