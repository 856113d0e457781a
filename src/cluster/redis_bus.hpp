// The bus over Redis' publish and subscribe: one channel for the whole cluster, NAME:bus. In a
// Redis Cluster the servers pass messages on among themselves.

#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "base/periodic_task.hpp"
#include "cluster/bus.hpp"
#include "store/redis/dedicated_connection.hpp"

namespace floodgate::cluster {

struct redis_bus_options {
    std::string name = "fg";
    std::size_t waiting_max = 10'000;  // messages; above it the oldest are dropped
    std::size_t waiting_bytes_max = std::size_t{64} << 20U;
    milliseconds ping_every{2000};  // when a silent connection is tested
};

class redis_bus final : public bus {
public:
    redis_bus(store::redis& redis, redis_bus_options options);
    ~redis_bus() override;  // stops

    void start(hear told) override;
    void stop() override;
    void publish(std::string_view topic, std::string message) override;
    bus_figures read_figures() const override;

private:
    void end();
    // The listener's functions.
    next_step listen();
    bool subscribe();  // false: it failed
    void hear_out();   // until the connection ends
    void pass_on(const store::redis_reply& heard);
    // The sender's functions.
    next_step send();
    bool gather();  // false: there is nothing to say
    bool send_batch();
    void finish_sending();
    void make_room();

    store::redis& redis_;
    const redis_bus_options options_;
    const std::string channel_;
    const std::string sender_id_;  // how a node knows its own messages
    store::dedicated_connection listening_;
    hear told_;
    std::uint64_t connections_failed_ = 0;  // in a row; used by the listener only
    std::deque<std::string> batch_;         // used by the sender only
    std::uint64_t batches_failed_ = 0;      // in a row; used by the sender only
    mutable std::mutex mutex_;
    // Guarded by mutex_.
    std::deque<std::string> waiting_;
    std::size_t waiting_bytes_ = 0;
    bus_figures figures_;
    bool joined_before_ = false;
    bool started_ = false;
    periodic_task listener_, sender_;
};

}  // namespace floodgate::cluster
