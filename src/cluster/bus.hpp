// The bus: how one node tells the others of results, returned units and changes of the catalogue.
//
// A message is only a hint. It may be lost, doubled or late, and every listener must reach the same
// state without it, only later.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace floodgate::cluster {

inline constexpr std::size_t bus_message_max = std::size_t{1} << 20U;
inline constexpr std::size_t bus_topic_max = 64;

// Called on the bus's thread. Must be quick and must not throw. Not called for messages that this
// node published itself.
using hear = std::function<void(std::string_view topic, std::string_view message)>;

struct bus_figures {
    std::uint64_t published = 0, heard = 0,
                  dropped = 0;  // dropped: too many were waiting, or the message was too long
    bool connected = false;
    std::uint64_t rejoined = 0;  // reconnections; messages sent in between were missed
};

class bus {
public:
    virtual ~bus() = default;
    virtual void start(hear told) = 0;
    virtual void stop() = 0;  // first sends waiting messages, for a moment. Idempotent
    // Any thread; queues the message and returns. A topic is a short word, a message any bytes up
    // to 1 MiB; longer ones are dropped.
    virtual void publish(std::string_view topic, std::string message) = 0;
    virtual bus_figures read_figures() const = 0;
};

}  // namespace floodgate::cluster
