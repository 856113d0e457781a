// Where Redis is, and how long to wait for it: for the blocking and the non-blocking client.

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace floodgate::store {

using steady = std::chrono::steady_clock;

struct redis_options {
    std::vector<std::string> addresses{"127.0.0.1:6379"};  // HOST:PORT
    bool cluster = false;  // the addresses are some of a Redis Cluster's nodes
    std::string user;      // empty: "default"
    std::string password;  // empty: none
    int database = 0;      // not with a cluster
    milliseconds connect_timeout{1000};
    milliseconds command_timeout{1000};
    milliseconds retry_after{250};
    std::size_t connections_max = 16;  // for each server; one more call waits for its turn
};

}  // namespace floodgate::store
