#include "engine/store_health.hpp"

namespace floodgate::engine {
namespace {

constexpr milliseconds look_every{500};
constexpr auto believed_for = std::chrono::seconds(3);

}  // namespace

store_health::store_health(world w)
    : world_(std::move(w)),
      redis_looks_("pulse redis", look_every,
                   [this] {
                       look_at_redis();
                       return false;
                   }),
      ledger_looks_("pulse ledger", look_every, [this] {
          look_at_ledger();
          return false;
      }) {}

void store_health::start() {
    redis_looks_.start();
    ledger_looks_.start();
}

void store_health::stop() {
    redis_looks_.stop();
    ledger_looks_.stop();
}

bool store_health::is_recent(const moment& m) {
    const steady::rep at = m;
    return at != 0 && steady::now().time_since_epoch() - steady::duration(at) < believed_for;
}

void store_health::look_at_redis() {
    const std::string key = world_.name + ":pulse";
    if (!world_.redis.ask(key, {"EXISTS", key})) return;
    redis_ = steady::now().time_since_epoch().count();
    if (!opened_ && all_open()) opened_ = true;
}

bool store_health::all_open() {
    for (std::uint32_t n = 0; n < world_.partitions; ++n) {
        const auto state = world_.gate.state_of({n});
        if (!state || !state->open) return false;
    }
    return true;
}

void store_health::look_at_ledger() {
    if (world_.book.orders().position()) ledger_ = steady::now().time_since_epoch().count();
}

std::string store_health::why_not_ready() const {
    if (!is_recent(redis_)) return "redis: no answer";
    if (!is_recent(ledger_)) return "ledger: no answer from the database";
    if (!opened_) return "the gate is being built from the ledger";
    return {};
}

}  // namespace floodgate::engine
