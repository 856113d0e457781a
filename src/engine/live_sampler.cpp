#include "engine/live_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace floodgate::engine {
namespace {

constexpr std::size_t limbo_orders_max = 500;  // looked at in one sample
constexpr std::size_t first_error = 500;       // HTTP statuses from here on are the server's fault

std::int64_t whole(std::uint64_t n) { return static_cast<std::int64_t>(n); }

std::int64_t count_of(const guard::security_events::figures& from, guard::security_event what) {
    return whole(from.events[static_cast<std::size_t>(what)]);
}

api::live_sale seen(const sale::balance& b, std::int64_t limbo) {
    limbo = std::min(limbo, b.unpaid);
    return {.id = b.sale,
            .units = {.stock = b.stock,
                      .free = b.free,
                      .promised = b.promised,
                      .unpaid = b.unpaid - limbo,
                      .limbo = limbo,
                      .paid = b.paid,
                      .refunding = b.refunding},
            .breached = b.wrong_since != never};
}

}  // namespace

live_sampler::totals live_sampler::totals_of(const metrics_sources& from, instant now) {
    using enum guard::security_event;
    totals t{.at = now, .answers = from.answers, .decisions = from.edge.decision_times()};
    if (from.journal) t.syncs = from.journal->sync_us;
    for (std::size_t status = 0; status < from.edge.by_status.size(); ++status) {
        t.requests += whole(from.edge.by_status[status]);
        if (status >= first_error) t.errors += whole(from.edge.by_status[status]);
    }
    t.limited = count_of(from.security, limited);
    t.logins = count_of(from.security, login);
    t.logins_failed = count_of(from.security, login_failed);
    t.registered = count_of(from.security, registered);
    t.entered = whole(from.clerk.entered);
    return t;
}

// A step may come late, so what was counted is divided by the time that really passed.
void live_sampler::add_rates(api::live_sample& to, const totals& now) const {
    const double seconds = static_cast<double>((now.at - before_->at).count()) / 1e3;
    if (seconds <= 0) return;
    const auto rate = [&](std::int64_t later, std::int64_t earlier) {
        const auto came = std::max<std::int64_t>(later - earlier, 0);
        return std::llround(static_cast<double>(came) / seconds);
    };
    for (std::size_t i = 1; i < to.answers.size(); ++i)
        to.answers[i] = rate(whole(now.answers[i]), whole(before_->answers[i]));
    to.counts.requests = rate(now.requests, before_->requests);
    to.counts.errors = rate(now.errors, before_->errors);
    to.counts.limited = rate(now.limited, before_->limited);
    to.counts.logins = rate(now.logins, before_->logins);
    to.counts.logins_failed = rate(now.logins_failed, before_->logins_failed);
    to.counts.registered = rate(now.registered, before_->registered);
    to.counts.entered = rate(now.entered, before_->entered);
    to.decisions = api::since(now.decisions, before_->decisions);
    to.syncs = api::since(now.syncs, before_->syncs);
}

std::map<sale::sale_id, std::int64_t> live_sampler::units_in_limbo() {
    std::map<sale::sale_id, std::int64_t> out;
    const auto open = moves_.all_questions({0}, limbo_orders_max);
    if (!open) return out;
    for (const ledger::open_question& q : *open)
        if (q.what == ledger::question::close) out[q.order.sale] += q.order.quantity;
    return out;
}

void live_sampler::add_sales(api::live_sample& to, const metrics_sources& from, instant now) {
    std::map<sale::sale_id, std::int64_t> limbo;
    if (to.state.on_duty && from.timed_jobs.asking.open > 0) limbo = units_in_limbo();
    std::map<sale::sale_id, known_sale> known;
    std::vector<const known_sale*> listed;
    for (const sale::balance& b : from.timed_jobs.reconciliation.sales) {
        known_sale next{seen(b, limbo[b.sale]), now};
        if (const auto old = sales_.find(b.sale); old != sales_.end())
            if (old->second.seen == next.seen) next.changed_at = old->second.changed_at;
        for (const auto& n : api::unit_names()) to.units.*n.value += next.seen.units.*n.value;
        listed.push_back(&known.emplace(b.sale, next).first->second);
    }
    std::ranges::sort(listed, [](const known_sale* a, const known_sale* b) {
        return std::pair(a->changed_at, a->seen.id) > std::pair(b->changed_at, b->seen.id);
    });
    listed.resize(std::min(listed.size(), sales_listed_max));
    for (const known_sale* s : listed) to.sales.push_back(s->seen);
    sales_ = std::move(known);
}

api::live_sample live_sampler::take(const metrics_sources& from, const store_sight& stores,
                                    const api::readiness& ready, instant now) {
    api::live_sample out{.at = now,
                         .state = {.node = node_,
                                   .reason = ready.why_not,
                                   .warnings = ready.warnings,
                                   .on_duty = !from.cluster || from.cluster->on_duty,
                                   .gate_answers = stores.gate_answers,
                                   .ledger_answers = stores.ledger_answers,
                                   .ledger_enters = stores.ledger_enters}};
    if (from.cluster) {
        out.state.partitions = whole(from.cluster->keepers.size());
        out.state.partitions_kept = std::ranges::count_if(
            from.cluster->keepers, [](const clerk::keeper_figures& k) { return k.holds; });
    }
    out.counts.backlog = whole(from.backlog);
    out.counts.sockets = whole(from.results.sockets);
    out.counts.connections = whole(from.edge.connections);
    out.counts.waiters = whole(from.results.waiters);
    out.counts.pool_waiting = whole(from.pool_waiting);
    out.peaks = {.lag_ms = from.clerk.lag.count(),
                 .payments_open = static_cast<std::int64_t>(from.timed_jobs.asking.open),
                 .letters_dead = from.timed_jobs.letters.dead,
                 .alerts = whole(from.alarms.standing().size())};
    const totals totals_now = totals_of(from, now);
    if (before_) add_rates(out, totals_now);
    before_ = totals_now;
    add_sales(out, from, now);
    return out;
}

}  // namespace floodgate::engine
