// How many clients are connected, in all and from each address, over all loops together.
//
// Any thread; a lock is held for one address at a time.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "http/server_options.hpp"

namespace floodgate::http {

class client_counts {
public:
    // `sockets` gives the number of WebSockets, which are no longer counted as connections here but
    // have a descriptor each.
    client_counts(const client_limits& limits, std::function<std::size_t()> sockets)
        : limits_(limits), sockets_(std::move(sockets)) {}

    // Whether there are more than the process has descriptors for.
    bool too_many() const { return connections_.load() + sockets_() > limits_.clients_max; }

    // `address` is a guard::limiter_key. False: this address has as many connections as allowed.
    bool add(std::uint64_t address);
    void remove(std::uint64_t address);
    // For clients whose address is not counted: trusted proxies.
    void add() { ++connections_; }
    void remove() { --connections_; }

private:
    static constexpr std::size_t parts = 64;  // 2^6: see part_of

    struct alignas(64) part {
        std::mutex mutex;
        boost::unordered_flat_map<std::uint64_t, std::size_t> connections;  // by address
    };
    part& part_of(std::uint64_t address) { return parts_[address * 0x9e3779b97f4a7c15U >> 58U]; }

    const client_limits limits_;
    const std::function<std::size_t()> sockets_;
    std::atomic<std::size_t> connections_{0};
    std::array<part, parts> parts_;
};

}  // namespace floodgate::http
