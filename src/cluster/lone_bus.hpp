// The bus of a node that is alone: nobody listens. In tests several can be joined by a hub.

#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cluster/bus.hpp"

namespace floodgate::cluster {

class lone_bus;

// Carries messages between the buses joined to it, in a thread of its own.
class lone_hub {
public:
    lone_hub();
    ~lone_hub();

private:
    friend class lone_bus;
    struct letter {
        const lone_bus* from;
        std::string topic, message;
    };
    void join(lone_bus* member);
    void leave(lone_bus* member);  // no call to it is under way afterwards
    void post(letter l);
    void deliver();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<letter> letters_;
    std::vector<lone_bus*> members_;
    bool delivering_ = false, over_ = false;
    std::jthread thread_;
};

class lone_bus final : public bus {
public:
    lone_bus() = default;
    explicit lone_bus(std::shared_ptr<lone_hub> hub) : hub_(std::move(hub)) {}
    ~lone_bus() override;

    void start(hear told) override;
    void stop() override;
    void publish(std::string_view topic, std::string message) override;
    bus_figures read_figures() const override;

private:
    friend class lone_hub;
    void leave();

    std::shared_ptr<lone_hub> hub_;
    hear told_;
    mutable std::mutex mutex_;
    bus_figures figures_;
};

}  // namespace floodgate::cluster
