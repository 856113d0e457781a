#include "cluster/start_turn.hpp"

#include <fmt/format.h>

#include <random>
#include <stdexcept>
#include <thread>

namespace floodgate::cluster {
namespace {

constexpr const char* turn_ms = "5000";
constexpr milliseconds renew_every{1500};
constexpr milliseconds look_every{100};

const store::redis_script& give_back_script() {
    static const store::redis_script script(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end");
    return script;
}

const store::redis_script& renew_script() {
    static const store::redis_script script(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then "
        "redis.call('PEXPIRE', KEYS[1], ARGV[2]) end");
    return script;
}

std::string new_owner() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

start_turn::start_turn(store::redis& redis, std::string name, milliseconds patience)
    : redis_(redis), key_(std::move(name) + ":start"), owner_(new_owner()) {
    take(patience);
    keeper_ = std::thread([this] { keep(); });
}

void start_turn::take(milliseconds patience) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (;;) {
        const auto got = redis_.ask(key_, {"SET", key_, owner_, "NX", "PX", turn_ms});
        if (got && !got->is_nil()) return;
        if (std::chrono::steady_clock::now() >= deadline)
            throw std::runtime_error(got ? "another node has been starting for too long"
                                         : "redis: " + got.error().message());
        std::this_thread::sleep_for(look_every);
    }
}

void start_turn::keep() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, renew_every, [this] { return over_; })) {
        lock.unlock();
        (void)redis_.run(renew_script(), {key_}, {owner_, turn_ms}).has_value();
        lock.lock();
    }
}

start_turn::~start_turn() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    ended_.notify_all();
    keeper_.join();
    (void)redis_.run(give_back_script(), {key_}, {owner_}).has_value();  // else it runs out
}

}  // namespace floodgate::cluster
