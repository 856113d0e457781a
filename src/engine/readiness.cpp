#include "engine/readiness.hpp"

#include <fmt/format.h>

namespace floodgate::engine {
namespace {

std::string why_nothing_is_sold(const store_sight& seen) {
    if (!seen.gate_answers) return "gate: no answer";
    if (!seen.built_once) return "gate: being built from the ledger";
    const gate_sight& g = seen.gate;
    if (g.closed + g.full < g.partitions) return {};
    if (g.full == 0) return "gate: being rebuilt from the ledger";
    return "gate: too many promises wait for the ledger";
}

}  // namespace

api::readiness judge_readiness(const store_sight& seen) {
    api::readiness out{.why_not = why_nothing_is_sold(seen), .warnings = {}};
    if (!seen.ledger_answers)
        out.warnings.emplace_back("ledger: no answer from the database");
    else if (!seen.ledger_enters)
        out.warnings.emplace_back("ledger: orders cannot be entered now");
    if (!seen.points_answer)
        out.warnings.emplace_back("points: no answer; other ways to pay go on");
    if (!out.why_not.empty()) return out;
    if (seen.gate.closed > 0)
        out.warnings.push_back(fmt::format("gate: {} of {} partitions are being rebuilt",
                                           seen.gate.closed, seen.gate.partitions));
    if (seen.gate.full > 0)
        out.warnings.push_back(
            fmt::format("gate: {} of {} partitions have too many promises waiting for the ledger",
                        seen.gate.full, seen.gate.partitions));
    return out;
}

}  // namespace floodgate::engine
