#include "api/live_sample.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace floodgate::api {
namespace {

namespace json = boost::json;

constexpr named_count counts[] = {{"requests", &live_counts::requests},
                                  {"errors", &live_counts::errors},
                                  {"limited", &live_counts::limited},
                                  {"logins", &live_counts::logins},
                                  {"logins_failed", &live_counts::logins_failed},
                                  {"registered", &live_counts::registered},
                                  {"entered", &live_counts::entered},
                                  {"backlog", &live_counts::backlog},
                                  {"sockets", &live_counts::sockets},
                                  {"connections", &live_counts::connections},
                                  {"waiters", &live_counts::waiters},
                                  {"pool_waiting", &live_counts::pool_waiting}};
constexpr named_peak peaks[] = {{"lag_ms", &live_peaks::lag_ms},
                                {"payments_open", &live_peaks::payments_open},
                                {"letters_dead", &live_peaks::letters_dead},
                                {"alerts", &live_peaks::alerts}};
constexpr named_unit units[] = {
    {"stock", &live_units::stock},        {"free", &live_units::free},
    {"promised", &live_units::promised},  {"unpaid", &live_units::unpaid},
    {"limbo", &live_units::limbo},        {"paid", &live_units::paid},
    {"refunding", &live_units::refunding}};

// A few keys for a short text; at() throws what boost::json throws for a text that does not fit.
template <class Names, class Values>
json::array pack(Names names, const Values& from) {
    json::array out;
    for (const auto& n : names) out.push_back(from.*n.value);
    return out;
}
template <class Names, class Values>
void unpack(const json::value& packed, Names names, Values& to) {
    std::size_t i = 0;
    for (const auto& n : names) to.*n.value = packed.as_array().at(i++).to_number<std::int64_t>();
}

json::object pack(const histogram::reading& r) {
    return {{"bounds", json::array(r.bounds.begin(), r.bounds.end())},
            {"counts", json::array(r.counts.begin(), r.counts.end())}};
}
std::vector<std::uint64_t> numbers(const json::value& packed) {
    std::vector<std::uint64_t> out;
    for (const json::value& v : packed.as_array()) out.push_back(v.to_number<std::uint64_t>());
    return out;
}
histogram::reading unpack_reading(const json::value& packed) {
    histogram::reading r{numbers(packed.at("bounds")), numbers(packed.at("counts")), 0};
    if (!r.counts.empty() && r.counts.size() != r.bounds.size() + 1) r = {};
    return r;
}

json::object pack(const live_state& s) {
    return {{"node", s.node},
            {"reason", s.reason},
            {"warnings", json::array(s.warnings.begin(), s.warnings.end())},
            {"on_duty", s.on_duty},
            {"gate", s.gate_answers},
            {"ledger", s.ledger_answers},
            {"enters", s.ledger_enters},
            {"partitions", s.partitions},
            {"kept", s.partitions_kept}};
}
live_state unpack_state(const json::value& v) {
    live_state s{.node = v.at("node").to_number<std::int64_t>(),
                 .reason = std::string(v.at("reason").as_string()),
                 .on_duty = v.at("on_duty").as_bool(),
                 .gate_answers = v.at("gate").as_bool(),
                 .ledger_answers = v.at("ledger").as_bool(),
                 .ledger_enters = v.at("enters").as_bool(),
                 .partitions = v.at("partitions").to_number<std::int64_t>(),
                 .partitions_kept = v.at("kept").to_number<std::int64_t>()};
    for (const json::value& w : v.at("warnings").as_array()) s.warnings.emplace_back(w.as_string());
    return s;
}

}  // namespace

std::span<const named_count> count_names() { return counts; }
std::span<const named_peak> peak_names() { return peaks; }
std::span<const named_unit> unit_names() { return units; }

std::string to_text(const live_sample& s) {
    json::array sales;
    for (const live_sale& one : s.sales)
        sales.push_back({one.id.value, one.breached, pack(unit_names(), one.units)});
    return json::serialize(
        json::object{{"at", to_ms(s.at)},
                     {"state", pack(s.state)},
                     {"answers", json::array(s.answers.begin(), s.answers.end())},
                     {"counts", pack(count_names(), s.counts)},
                     {"peaks", pack(peak_names(), s.peaks)},
                     {"decisions", pack(s.decisions)},
                     {"syncs", pack(s.syncs)},
                     {"sales", std::move(sales)},
                     {"units", pack(unit_names(), s.units)}});
}

std::optional<live_sample> parse_live_sample(std::string_view text) {
    try {
        const json::value v = json::parse(text);
        live_sample s{.at = from_ms(v.at("at").to_number<std::int64_t>()),
                      .state = unpack_state(v.at("state")),
                      .decisions = unpack_reading(v.at("decisions")),
                      .syncs = unpack_reading(v.at("syncs"))};
        const json::array& answers = v.at("answers").as_array();
        if (answers.size() != s.answers.size()) return std::nullopt;
        std::ranges::transform(answers, s.answers.begin(),
                               [](const json::value& n) { return n.to_number<std::int64_t>(); });
        unpack(v.at("counts"), count_names(), s.counts);
        unpack(v.at("peaks"), peak_names(), s.peaks);
        unpack(v.at("units"), unit_names(), s.units);
        for (const json::value& one : v.at("sales").as_array()) {
            const json::array& parts = one.as_array();
            s.sales.push_back(
                {.id = {parts.at(0).to_number<std::int64_t>()}, .breached = parts.at(1).as_bool()});
            unpack(parts.at(2), unit_names(), s.sales.back().units);
        }
        return s;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void add_reading(histogram::reading& sum, const histogram::reading& other) {
    if (sum.bounds.empty()) {
        sum = other;
    } else if (sum.bounds == other.bounds) {
        for (std::size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += other.counts[i];
        sum.sum += other.sum;
    }
}

histogram::reading since(const histogram::reading& now, const histogram::reading& before) {
    if (now.bounds != before.bounds) return now;
    histogram::reading out = now;
    for (std::size_t i = 0; i < out.counts.size(); ++i)
        out.counts[i] -= std::min(out.counts[i], before.counts[i]);
    out.sum -= std::min(out.sum, before.sum);
    return out;
}

double percentile(const histogram::reading& of, double part) {
    const auto all = static_cast<double>(of.total());
    if (all == 0 || of.bounds.empty()) return 0;
    double below = 0;
    for (std::size_t i = 0; i < of.bounds.size(); ++i) {
        const auto here = static_cast<double>(of.counts[i]);
        if (here > 0 && below + here >= part * all) {
            const double from = i == 0 ? 0 : static_cast<double>(of.bounds[i - 1]);
            return from + (static_cast<double>(of.bounds[i]) - from) * (part * all - below) / here;
        }
        below += here;
    }
    return static_cast<double>(of.bounds.back());  // or more: above it nothing is known
}

}  // namespace floodgate::api
