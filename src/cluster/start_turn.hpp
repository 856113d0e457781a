// Nodes that start together take turns: one brings the schema up to date and makes the first
// admin, the others find both done.

#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "store/redis/redis.hpp"

namespace floodgate::cluster {

class start_turn {
public:
    // Waits for its turn, up to `patience`; throws std::runtime_error when it does not come. A node
    // that dies during its turn holds the others up for a few seconds.
    start_turn(store::redis& redis, std::string name, milliseconds patience = milliseconds(90'000));
    ~start_turn();  // the next one's
    start_turn(const start_turn&) = delete;
    start_turn& operator=(const start_turn&) = delete;

private:
    void take(milliseconds patience);
    void keep();

    store::redis& redis_;
    const std::string key_, owner_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool over_ = false;  // guarded by mutex_
    std::thread keeper_;
};

}  // namespace floodgate::cluster
