#include "cluster/redis_bus.hpp"

#include <algorithm>
#include <random>
#include <utility>

#include "base/log.hpp"
#include "base/thread.hpp"

namespace floodgate::cluster {
namespace {

constexpr milliseconds wait_min{50}, wait_max{1000};  // before another attempt
constexpr std::size_t batch_max = 128;
constexpr std::size_t sender_size = 16;

// A message on the wire: the sender (16 characters), the topic's length (1 byte), topic, message.
std::string packed(const std::string& sender, std::string_view topic, std::string_view message) {
    std::string out;
    out.reserve(sender.size() + 1 + topic.size() + message.size());
    out.append(sender).push_back(static_cast<char>(topic.size()));
    return out.append(topic).append(message);
}

std::string new_sender() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace

redis_bus::redis_bus(store::redis& redis, redis_bus_options options)
    : redis_(redis),
      options_(std::move(options)),
      channel_(options_.name + ":bus"),
      sender_(new_sender()),
      line_(redis.open_line()) {}

redis_bus::~redis_bus() { end(); }

void redis_bus::start(hear told) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) return;
    told_ = std::move(told);
    listener_ = std::jthread([this] { listen(); });
    sender_thread_ = std::jthread([this] { send(); });
}

void redis_bus::stop() { end(); }

void redis_bus::end() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        if (!started_) return;
    }
    changed_.notify_all();
    if (sender_thread_.joinable()) sender_thread_.join();
    line_->interrupt();
    if (listener_.joinable()) listener_.join();
}

bus_figures redis_bus::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

// ---- hearing

void redis_bus::listen() {
    name_thread("bus listener");
    milliseconds wait = wait_min;
    for (;;) {
        if (subscribe()) {
            wait = wait_min;
            hear_out();
        }
        std::unique_lock lock(mutex_);
        if (std::exchange(figures_.connected, false))
            log::warning("cluster.bus_lost", "channel", channel_);
        if (changed_.wait_for(lock, wait, [&] { return stopping_; })) return;
        wait = std::min(2 * wait, wait_max);
    }
}

bool redis_bus::subscribe() {
    if (!line_->ask("", {"SUBSCRIBE", channel_}, milliseconds(0))) return false;
    const std::lock_guard lock(mutex_);
    figures_.connected = true;
    if (std::exchange(joined_before_, true)) ++figures_.rejoined;
    log::info("cluster.bus_joined", "channel", channel_);
    return true;
}

void redis_bus::hear_out() {
    for (;;) {
        auto heard = line_->hear(options_.ping_every);
        // The answer may be a message that was on its way: either shows that the line is good.
        if (heard && heard->is_nil()) heard = line_->ask("", {"PING"}, milliseconds(0));
        if (!heard) return;
        pass_on(*heard);
    }
}

void redis_bus::pass_on(const store::redis_reply& heard) {
    constexpr std::size_t parts = 3;  // "message", the channel, what was said
    if (heard.items.size() != parts || heard.items.front().text != "message") return;
    const std::string_view all = heard.items.back().text;
    if (all.size() <= sender_size || all.starts_with(sender_)) return;
    const auto topic_size = static_cast<unsigned char>(all[sender_size]);
    const std::string_view rest = all.substr(sender_size + 1);
    if (topic_size > rest.size()) return;
    told_(rest.substr(0, topic_size), rest.substr(topic_size));
    const std::lock_guard lock(mutex_);
    ++figures_.heard;
}

// ---- saying

void redis_bus::publish(std::string_view topic, std::string message) {
    const std::lock_guard lock(mutex_);
    if (stopping_ || topic.size() > bus_topic_max || message.size() > bus_message_max) {
        ++figures_.dropped;
        return;
    }
    waiting_.push_back(packed(sender_, topic, message));
    waiting_bytes_ += waiting_.back().size();
    make_room();
    changed_.notify_all();
}

void redis_bus::make_room() {
    while (waiting_.size() > options_.waiting_max || waiting_bytes_ > options_.waiting_bytes_max) {
        waiting_bytes_ -= waiting_.front().size();
        waiting_.pop_front();
        ++figures_.dropped;
    }
}

void redis_bus::send() {
    name_thread("bus sender");
    milliseconds wait = wait_min;
    std::deque<std::string> batch;
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [&] { return stopping_ || !waiting_.empty() || !batch.empty(); });
        while (batch.size() < batch_max && !waiting_.empty()) {
            waiting_bytes_ -= waiting_.front().size();
            batch.push_back(std::move(waiting_.front()));
            waiting_.pop_front();
        }
        if (batch.empty()) return;  // stopping, and all is said
        lock.unlock();
        const std::size_t size = batch.size();
        const bool sent = send_some(batch);
        lock.lock();
        if (sent) {
            figures_.published += size;
            wait = wait_min;
        } else if (stopping_) {
            figures_.dropped += batch.size() + waiting_.size();
            return;
        } else {
            changed_.wait_for(lock, wait, [&] { return stopping_; });
            wait = std::min(2 * wait, wait_max);
        }
    }
}

bool redis_bus::send_some(std::deque<std::string>& batch) {
    std::vector<store::redis::command> commands;
    commands.reserve(batch.size());
    for (const std::string& one : batch) commands.push_back({"", {"PUBLISH", channel_, one}});
    if (!redis_.ask_all(commands)) return false;  // said again: a listener bears it
    batch.clear();
    return true;
}

}  // namespace floodgate::cluster
