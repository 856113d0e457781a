#include "engine/store_health.hpp"

namespace floodgate::engine {
namespace {

constexpr milliseconds look_every{500};
constexpr auto believed_for = std::chrono::seconds(3);

}  // namespace

store_health::store_health(ports& of, points::accounts* far_points, const monotonic_clock& clock)
    : of_(of),
      far_points_(far_points),
      clock_(clock),
      gate_looks_("look gate", look_every, [this] { look_at_gate(); }),
      ledger_looks_("look ledger", look_every, [this] { look_at_ledger(); }),
      points_looks_("look points", look_every, [this] { look_at_points(); }) {}

void store_health::start() {
    gate_looks_.start();
    ledger_looks_.start();
    if (far_points_ != nullptr) points_looks_.start();
}

void store_health::stop() {
    gate_looks_.stop();
    ledger_looks_.stop();
    points_looks_.stop();
}

bool store_health::is_recent(const std::atomic<moment>& answered) const {
    const moment at = answered;
    return at != moment::min() && clock_.now() - at < believed_for;
}

void store_health::look_at_gate() {
    const auto seen = of_.look_at_gate();
    if (!seen) return;
    {
        const std::lock_guard lock(mutex_);
        gate_ = *seen;
        built_once_ = built_once_ || seen->closed == 0;
    }
    gate_answered_ = clock_.now();
}

void store_health::look_at_ledger() {
    if (of_.book().orders().position()) ledger_answered_ = clock_.now();
}

// Any account will do.
void store_health::look_at_points() {
    if (far_points_->balance_of({1})) points_answered_ = clock_.now();
}

store_sight store_health::read() const {
    store_sight out{.gate_answers = is_recent(gate_answered_),
                    .ledger_answers = is_recent(ledger_answered_),
                    .ledger_enters = of_.lines().read_figures().failing_since == never,
                    .points_answer = far_points_ == nullptr || is_recent(points_answered_)};
    const std::lock_guard lock(mutex_);
    out.built_once = built_once_;
    out.gate = gate_;
    return out;
}

}  // namespace floodgate::engine
