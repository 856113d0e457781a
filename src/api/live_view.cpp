#include "api/live_view.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cmath>

namespace floodgate::api {
namespace {

namespace json = boost::json;

std::int64_t whole(double us) { return std::llround(us); }

live_moment sum_of(const std::vector<const live_sample*>& samples) {
    live_moment out{.at = samples.front()->at, .nodes = static_cast<std::int64_t>(samples.size())};
    histogram::reading decisions, syncs;
    for (const live_sample* s : samples) {
        for (std::size_t i = 0; i < out.answers.size(); ++i) out.answers[i] += s->answers[i];
        for (const auto& n : count_names()) out.counts.*n.value += s->counts.*n.value;
        for (const auto& n : peak_names())
            out.peaks.*n.value = std::max(out.peaks.*n.value, s->peaks.*n.value);
        if (s->state.on_duty) out.units = s->units;
        add_reading(decisions, s->decisions);
        add_reading(syncs, s->syncs);
    }
    out.decisions = static_cast<std::int64_t>(decisions.total());
    out.decision_p50_us = whole(percentile(decisions, 0.5));
    out.decision_p99_us = whole(percentile(decisions, 0.99));
    out.sync_p50_us = whole(percentile(syncs, 0.5));
    out.sync_p99_us = whole(percentile(syncs, 0.99));
    return out;
}

json::object to_json(const live_units& u) {
    json::object out;
    for (const auto& n : unit_names()) out[n.name] = u.*n.value;
    return out;
}

json::object to_json(const live_moment& m) {
    json::object answers;
    for (std::uint8_t i = 1; i <= sale::answers; ++i)
        if (m.answers[i] != 0) answers[sale::to_text(static_cast<sale::answer>(i))] = m.answers[i];
    json::object out{{"at_ms", to_ms(m.at)},
                     {"nodes", m.nodes},
                     {"answers", std::move(answers)},
                     {"decisions", m.decisions},
                     {"decision_us", {{"p50", m.decision_p50_us}, {"p99", m.decision_p99_us}}},
                     {"sync_us", {{"p50", m.sync_p50_us}, {"p99", m.sync_p99_us}}},
                     {"units", to_json(m.units)}};
    for (const auto& n : count_names()) out[n.name] = m.counts.*n.value;
    for (const auto& n : peak_names()) out[n.name] = m.peaks.*n.value;
    return out;
}

json::object to_json(const live_sample& s) {
    std::int64_t answers = 0;
    for (const std::int64_t n : s.answers) answers += n;
    json::object out{{"node", s.state.node},
                     {"at_ms", to_ms(s.at)},
                     {"status", s.state.reason.empty() ? "ready" : "not_ready"},
                     {"warnings", json::array(s.state.warnings.begin(), s.state.warnings.end())},
                     {"on_duty", s.state.on_duty},
                     {"gate_answers", s.state.gate_answers},
                     {"ledger_answers", s.state.ledger_answers},
                     {"ledger_enters", s.state.ledger_enters},
                     {"partitions", s.state.partitions},
                     {"partitions_kept", s.state.partitions_kept},
                     {"answers", answers},
                     {"decision_p99_us", whole(percentile(s.decisions, 0.99))},
                     {"sockets", s.counts.sockets},
                     {"connections", s.counts.connections},
                     {"backlog", s.counts.backlog},
                     {"lag_ms", s.peaks.lag_ms}};
    if (!s.state.reason.empty()) out["reason"] = s.state.reason;
    return out;
}

json::array nodes_of(const std::vector<const live_sample*>& samples) {
    json::array out;
    for (const live_sample* s : samples) out.push_back(to_json(*s));
    return out;
}

json::object present(const live_moment& now, const std::vector<live_sale>& sales,
                     const std::vector<const live_sample*>& nodes) {
    json::object out = to_json(now);
    json::array listed;
    for (const live_sale& s : sales)
        listed.push_back(json::object{
            {"sale_id", s.id.value}, {"breached", s.breached}, {"units", to_json(s.units)}});
    out["sales"] = std::move(listed);
    out["nodes_seen"] = nodes_of(nodes);
    return out;
}

}  // namespace

std::vector<const live_sample*> live_view::fresh() const {
    std::vector<const live_sample*> out{&own_};
    for (const auto& [node, s] : others_) out.push_back(&s);
    return out;
}

void live_view::add(live_sample own) {
    const std::lock_guard lock(mutex_);
    own_ = std::move(own);
    std::erase_if(others_, [&](const auto& other) {
        return other.second.at + fresh_for < own_.at || other.first == own_.state.node;
    });
    const auto samples = fresh();
    now_ = sum_of(samples);
    for (const live_sample* s : samples)
        if (s->state.on_duty) sales_ = s->sales;
    if (ring_.size() < kept_max)
        ring_.push_back(now_);
    else
        ring_[next_] = now_;
    next_ = (next_ + 1) % kept_max;
}

void live_view::hear(std::string_view text) {
    auto sample = parse_live_sample(text);
    if (!sample) return;
    const std::lock_guard lock(mutex_);
    if (sample->state.node == own_.state.node) return;
    const std::int64_t node = sample->state.node;
    if (others_.size() < other_nodes_max || others_.contains(node))
        others_.insert_or_assign(node, std::move(*sample));
}

std::shared_ptr<const std::string> live_view::message() const {
    const std::lock_guard lock(mutex_);
    if (ring_.empty()) return nullptr;
    return std::make_shared<const std::string>(
        json::serialize(json::object{{"type", "live"}, {"now", present(now_, sales_, fresh())}}));
}

std::string live_view::page(std::size_t seconds, std::size_t step) const {
    std::vector<live_moment> taken;
    json::object out{{"every_ms", 1000}, {"kept_s", kept_max}};
    {
        const std::lock_guard lock(mutex_);
        const std::size_t count = std::min(seconds, ring_.size());
        for (std::size_t back = count; back >= 1; --back) {
            if ((back - 1) % step != 0) continue;
            taken.push_back(ring_[(next_ + kept_max - back) % kept_max]);
        }
        if (!ring_.empty()) out["now"] = present(now_, sales_, fresh());
    }
    json::array history;
    for (const live_moment& m : taken) history.push_back(to_json(m));
    out["history"] = std::move(history);
    return json::serialize(out);
}

std::string live_view::nodes() const {
    const std::lock_guard lock(mutex_);
    if (ring_.empty()) return "[]";
    return json::serialize(nodes_of(fresh()));
}

}  // namespace floodgate::api
