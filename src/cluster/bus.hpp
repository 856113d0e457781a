// What one node tells the others: results, "sold out" lifted, the catalogue changed.
//
// A hint, never more: a message may be lost, doubled or late, and whoever listens must come to the
// same end without it, only later.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace floodgate::cluster {

inline constexpr std::size_t bus_message_max = std::size_t{1} << 20U;
inline constexpr std::size_t bus_topic_max = 64;

// Called from the bus's thread. Must be quick and must not throw. Not called for what this node
// published itself.
using hear = std::function<void(std::string_view topic, std::string_view message)>;

struct bus_figures {
    std::uint64_t published = 0, heard = 0,
                  dropped = 0;  // dropped: too many wait, or it is too long
    bool connected = false;
    std::uint64_t rejoined = 0;  // after it was lost: what was said meanwhile was missed
};

class bus {
public:
    virtual ~bus() = default;
    virtual void start(hear told) = 0;
    virtual void stop() = 0;  // sends what is waiting, for a moment. Idempotent
    // Any thread; hands over and returns. A topic is a short word, a message any bytes up to 1 MiB;
    // longer ones are dropped.
    virtual void publish(std::string_view topic, std::string message) = 0;
    virtual bus_figures read_figures() const = 0;
};

}  // namespace floodgate::cluster
