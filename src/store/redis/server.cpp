#include "store/redis/server.hpp"

#include <algorithm>
#include <utility>

#include "base/log.hpp"

namespace floodgate::store {

redis_server::borrowed::~borrowed() {
    if (connection_) from_->take_back(std::move(connection_));
}

redis_server::borrowed redis_server::borrow(steady::time_point deadline) {
    if (!worth_asking()) return {};
    {
        std::unique_lock lock(mutex_);
        if (!returned_.wait_until(lock, deadline, [&] { return lent_ < options_.connections_max; }))
            return {};
        ++lent_;
        while (!idle_.empty()) {
            auto connection = std::move(idle_.back());
            idle_.pop_back();
            if (connection->reusable()) return {this, std::move(connection)};
        }
    }
    auto connection = make_connection();
    if (!connection) {
        take_back(nullptr);
        return {};
    }
    return {this, std::move(connection)};
}

std::unique_ptr<redis_connection> redis_server::connect() {
    return worth_asking() ? make_connection() : nullptr;
}

std::unique_ptr<redis_connection> redis_server::make_connection() {
    try {
        return std::make_unique<redis_connection>(address_, options_);
    } catch (const std::exception& e) {  // also an address, told by a server, that is none
        failed(e.what());
        return nullptr;
    }
}

void redis_server::take_back(std::unique_ptr<redis_connection> connection) {
    const bool keep = connection && connection->reusable();
    const std::lock_guard lock(mutex_);
    --lent_;
    if (keep && !down_) idle_.push_back(std::move(connection));
    returned_.notify_one();
}

redis_outcome redis_server::ask(const redis_command& command, const redis_sending& how,
                                steady::time_point deadline) {
    const borrowed connection = borrow(deadline);
    if (!connection) return {};
    deadline = std::min(deadline, steady::now() + options_.command_timeout);
    return judge(*connection, connection->ask(command, how, deadline));
}

redis_outcome redis_server::judge(const redis_connection& over, std::optional<redis_reply> reply) {
    if (reply) {
        answered();
        return {redis_outcome::kind::answered, std::move(*reply)};
    }
    if (over.broken()) {
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
    // Other callers do not try until this one has finished.
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
