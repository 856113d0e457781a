// Nodes that start together take turns: one brings the schema up to date and makes the first
// admin, the others find both done.

#pragma once

#include <string>

#include "base/periodic_task.hpp"
#include "cluster/redis_lock.hpp"

namespace floodgate::cluster {

struct start_turn_options {
    milliseconds patience{90'000};  // for the turn to come
    milliseconds turn{5000};        // how long a node that died in its turn holds the others up
    milliseconds renew_every{1500};
};

class start_turn {
public:
    // Waits for its turn; throws std::runtime_error when it does not come.
    start_turn(store::redis& redis, const std::string& name, start_turn_options options = {});
    ~start_turn();  // the next node's turn
    start_turn(const start_turn&) = delete;
    start_turn& operator=(const start_turn&) = delete;

private:
    void wait_for_turn();

    store::redis& redis_;
    const redis_lock lock_;
    const start_turn_options options_;
    periodic_task renewing_;
};

}  // namespace floodgate::cluster
