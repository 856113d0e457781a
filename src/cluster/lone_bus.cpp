#include "cluster/lone_bus.hpp"

#include <algorithm>
#include <utility>

namespace floodgate::cluster {

lone_hub::lone_hub() : thread_([this] { deliver(); }) {}

lone_hub::~lone_hub() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
}

void lone_hub::join(lone_bus* member) {
    const std::lock_guard lock(mutex_);
    members_.push_back(member);
}

void lone_hub::leave(lone_bus* member) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        const bool waiting = std::any_of(letters_.begin(), letters_.end(),
                                         [&](const letter& l) { return l.from == member; });
        return !delivering_ && !waiting;
    });
    std::erase(members_, member);
}

void lone_hub::post(letter l) {
    const std::lock_guard lock(mutex_);
    letters_.push_back(std::move(l));
    changed_.notify_all();
}

void lone_hub::deliver() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return over_ || !letters_.empty(); });
        if (over_) return;
        const letter l = std::move(letters_.front());
        letters_.pop_front();
        const auto members = members_;
        delivering_ = true;
        lock.unlock();
        for (lone_bus* member : members) {
            if (member == l.from) continue;
            member->told_(l.topic, l.message);
            const std::lock_guard figures(member->mutex_);
            ++member->figures_.heard;
        }
        lock.lock();
        delivering_ = false;
        changed_.notify_all();
    }
}

lone_bus::~lone_bus() { leave(); }

void lone_bus::start(hear told) {
    told_ = std::move(told);
    {
        const std::lock_guard lock(mutex_);
        figures_.connected = true;
    }
    if (hub_) hub_->join(this);
}

void lone_bus::stop() { leave(); }

void lone_bus::leave() {
    {
        const std::lock_guard lock(mutex_);
        if (!std::exchange(figures_.connected, false)) return;
    }
    if (hub_) hub_->leave(this);
}

void lone_bus::publish(std::string_view topic, std::string message) {
    {
        const std::lock_guard lock(mutex_);
        if (!figures_.connected || message.size() > bus_message_max) {
            ++figures_.dropped;
            return;
        }
        ++figures_.published;
    }
    if (hub_) hub_->post({this, std::string(topic), std::move(message)});
}

bus_figures lone_bus::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace floodgate::cluster
