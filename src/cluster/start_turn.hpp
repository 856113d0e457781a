// Nodes that start together take turns: the first one brings the schema up to date and makes the
// first admin, and the others find both done.

#pragma once

#include <string>

#include "base/periodic_task.hpp"
#include "cluster/redis_lock.hpp"

namespace floodgate::cluster {

struct start_turn_options {
    milliseconds patience{90'000};  // the longest wait for this node's turn
    milliseconds turn{5000};        // how long a node that died in its turn delays the others
    milliseconds renew_every{1500};
};

class start_turn {
public:
    // Waits for this node's turn; throws std::runtime_error when it does not come.
    start_turn(store::redis& redis, const std::string& name, start_turn_options options = {});
    ~start_turn();  // ends the turn
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
