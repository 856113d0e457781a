#include "cluster/start_turn.hpp"

#include <stdexcept>
#include <thread>

#include "base/random_id.hpp"

namespace floodgate::cluster {
namespace {

constexpr milliseconds look_every{100};

}  // namespace

start_turn::start_turn(store::redis& redis, const std::string& name, start_turn_options options)
    : redis_(redis),
      lock_{name + ":start", random_id()},
      options_(options),
      renewing_("start turn", options_.renew_every,
                [this] { (void)renew(redis_, lock_, options_.turn); }) {
    wait_for_turn();
    renewing_.start();
}

void start_turn::wait_for_turn() {
    const moment deadline = machine_time.now() + options_.patience;
    for (;;) {
        const auto taken = take(redis_, lock_, options_.turn);
        if (taken && *taken == lock_state::ours) return;
        if (machine_time.now() >= deadline)
            throw std::runtime_error(taken ? "another node has been starting for too long"
                                           : "redis: " + taken.error().message());
        std::this_thread::sleep_for(look_every);
    }
}

start_turn::~start_turn() {
    renewing_.stop();
    (void)release(redis_, lock_);  // if this fails, the lock expires by itself
}

}  // namespace floodgate::cluster
