#include "cluster/redis_bus.hpp"

#include <utility>

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "base/random_id.hpp"

namespace floodgate::cluster {
namespace {

constexpr backoff pauses{milliseconds(50), milliseconds(1000)};  // before another attempt
constexpr std::size_t batch_max = 128;
constexpr std::size_t sender_size = 2 * random_id_bytes;

// A message on the wire: the sender (16 characters), the topic's length (1 byte), topic, message.
std::string packed(const std::string& sender, std::string_view topic, std::string_view message) {
    std::string out;
    out.reserve(sender.size() + 1 + topic.size() + message.size());
    out.append(sender).push_back(static_cast<char>(topic.size()));
    return out.append(topic).append(message);
}

}  // namespace

redis_bus::redis_bus(store::redis& redis, redis_bus_options options)
    : redis_(redis),
      options_(std::move(options)),
      channel_(options_.name + ":bus"),
      sender_id_(random_id()),
      listening_(redis),
      listener_("bus listener", pauses.last, [this] { return listen(); }),
      sender_(
          "bus sender", pauses.last, [this] { return send(); }, [this] { finish_sending(); }) {}

redis_bus::~redis_bus() { end(); }

void redis_bus::start(hear told) {
    const std::lock_guard lock(mutex_);
    if (std::exchange(started_, true)) return;
    told_ = std::move(told);
    listener_.start();
    sender_.start();
}

void redis_bus::stop() { end(); }

void redis_bus::end() {
    sender_.stop();
    listener_.ask_to_stop();
    listening_.interrupt();
    listener_.stop();
}

bus_figures redis_bus::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

// ---- hearing

next_step redis_bus::listen() {
    if (subscribe()) {
        connections_failed_ = 0;
        hear_out();
    }
    const std::lock_guard lock(mutex_);
    if (std::exchange(figures_.connected, false))
        log::warning("cluster.bus_lost", "channel", channel_);
    return next_step::not_before(pauses.after(++connections_failed_));
}

bool redis_bus::subscribe() {
    if (!listening_.ask("", {"SUBSCRIBE", channel_}, milliseconds(0))) return false;
    const std::lock_guard lock(mutex_);
    figures_.connected = true;
    if (std::exchange(joined_before_, true)) ++figures_.rejoined;
    log::info("cluster.bus_joined", "channel", channel_);
    return true;
}

void redis_bus::hear_out() {
    for (;;) {
        auto heard = listening_.hear(options_.ping_every);
        // The reply may be a message instead of the answer; both show that the connection is alive.
        if (heard && heard->is_nil()) heard = listening_.ask("", {"PING"}, milliseconds(0));
        if (!heard) return;
        pass_on(*heard);
    }
}

void redis_bus::pass_on(const store::redis_reply& heard) {
    constexpr std::size_t parts = 3;  // "message", the channel, what was said
    if (heard.items.size() != parts || heard.items.front().text != "message") return;
    const std::string_view all = heard.items.back().text;
    if (all.size() <= sender_size || all.starts_with(sender_id_)) return;
    const auto topic_size = static_cast<unsigned char>(all[sender_size]);
    const std::string_view rest = all.substr(sender_size + 1);
    if (topic_size > rest.size()) return;
    told_(rest.substr(0, topic_size), rest.substr(topic_size));
    const std::lock_guard lock(mutex_);
    ++figures_.heard;
}

// ---- saying

void redis_bus::publish(std::string_view topic, std::string message) {
    {
        const std::lock_guard lock(mutex_);
        if (sender_.stopping() || topic.size() > bus_topic_max ||
            message.size() > bus_message_max) {
            ++figures_.dropped;
            return;
        }
        waiting_.push_back(packed(sender_id_, topic, message));
        waiting_bytes_ += waiting_.back().size();
        make_room();
    }
    sender_.wake();
}

void redis_bus::make_room() {
    while (waiting_.size() > options_.waiting_max || waiting_bytes_ > options_.waiting_bytes_max) {
        waiting_bytes_ -= waiting_.front().size();
        waiting_.pop_front();
        ++figures_.dropped;
    }
}

next_step redis_bus::send() {
    if (!gather()) return next_step::when_woken();
    if (send_batch()) return next_step::at_once();
    return next_step::not_before(pauses.after(batches_failed_));
}

bool redis_bus::gather() {
    const std::lock_guard lock(mutex_);
    while (batch_.size() < batch_max && !waiting_.empty()) {
        waiting_bytes_ -= waiting_.front().size();
        batch_.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    return !batch_.empty();
}

// False: the batch is sent again. Listeners can handle a message that comes twice.
bool redis_bus::send_batch() {
    std::vector<store::redis::command> commands;
    commands.reserve(batch_.size());
    for (const std::string& one : batch_) commands.push_back({"", {"PUBLISH", channel_, one}});
    if (!redis_.ask_all(commands)) {
        ++batches_failed_;
        return false;
    }
    batches_failed_ = 0;
    const std::lock_guard lock(mutex_);
    figures_.published += batch_.size();
    batch_.clear();
    return true;
}

// Sends the waiting messages as long as Redis takes them.
void redis_bus::finish_sending() {
    while (gather()) {
        if (send_batch()) continue;
        const std::lock_guard lock(mutex_);
        figures_.dropped += batch_.size() + waiting_.size();
        return;
    }
}

}  // namespace floodgate::cluster
