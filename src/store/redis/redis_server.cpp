#include "store/redis/redis_server.hpp"

#include "base/log.hpp"

namespace floodgate::store {

redis_server::borrowed::~borrowed() {
    if (wire_) from_->take_back(std::move(wire_));
}

redis_server::borrowed redis_server::borrow(steady::time_point deadline) {
    if (!worth_asking()) return {};
    {
        std::unique_lock lock(mutex_);
        if (!returned_.wait_until(lock, deadline, [&] { return lent_ < options_.connections_max; }))
            return {};
        ++lent_;
        while (!idle_.empty()) {
            auto wire = std::move(idle_.back());
            idle_.pop_back();
            if (wire->reusable()) return {this, std::move(wire)};
        }
    }
    auto wire = make_wire();
    if (!wire) {
        take_back(nullptr);
        return {};
    }
    return {this, std::move(wire)};
}

std::unique_ptr<redis_wire> redis_server::connect() {
    return worth_asking() ? make_wire() : nullptr;
}

std::unique_ptr<redis_wire> redis_server::make_wire() {
    try {
        return std::make_unique<redis_wire>(address_, options_);
    } catch (const std::exception& e) {  // also an address, told by a server, that is none
        failed(e.what());
        return nullptr;
    }
}

void redis_server::take_back(std::unique_ptr<redis_wire> wire) {
    const bool keep = wire && wire->reusable();
    const std::lock_guard lock(mutex_);
    --lent_;
    if (keep && !down_) idle_.push_back(std::move(wire));
    returned_.notify_one();
}

redis_outcome redis_server::ask(const words& command, bool asking, steady::time_point deadline) {
    const borrowed wire = borrow(deadline);
    if (!wire) return {};
    deadline = std::min(deadline, steady::now() + options_.command_timeout);
    if (asking) wire->append({"ASKING"});
    wire->append(command);
    wire->flush(deadline);
    auto reply = wire->receive(deadline);
    if (asking && reply) reply = wire->receive(deadline);
    if (reply) {
        answered();
        return {redis_outcome::kind::answered, std::move(*reply)};
    }
    if (wire->broken()) {
        hung_up();
    } else {
        failed("no answer in time");
    }
    return {redis_outcome::kind::unknown, {}};
}

bool redis_server::seems_down() const {
    const std::lock_guard lock(mutex_);
    return down_;
}

bool redis_server::worth_asking() {
    const std::lock_guard lock(mutex_);
    if (!down_) return true;
    const auto now = steady::now();
    if (now < try_again_at_) return false;
    // The others wait for what this one finds.
    try_again_at_ = now + options_.connect_timeout + options_.command_timeout;
    return true;
}

void redis_server::failed(std::string_view why) {
    const std::lock_guard lock(mutex_);
    idle_.clear();
    try_again_at_ = steady::now() + options_.retry_after;
    if (std::exchange(down_, true)) return;
    log::warning("redis.lost", "address", address_, "why", why);
}

void redis_server::hung_up() {
    const std::lock_guard lock(mutex_);
    if (down_) try_again_at_ = steady::now() + options_.retry_after;
}

void redis_server::answered() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(down_, false)) log::info("redis.found", "address", address_);
}

}  // namespace floodgate::store
