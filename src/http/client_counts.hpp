// How many clients are connected, in all and from each address, over all loops together.
//
// Any thread; a lock is held for one address at a time.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "http/server_options.hpp"

namespace floodgate::http {

class client_counts;

// A client that is counted, as long as it has a descriptor: it goes from a connection to the
// WebSocket that the connection becomes.
class client_place {
public:
    client_place() = default;  // of nobody
    client_place(client_place&& other) noexcept
        : counts_(std::exchange(other.counts_, nullptr)), address_(other.address_) {}
    client_place& operator=(client_place&& other) noexcept {
        leave();
        counts_ = std::exchange(other.counts_, nullptr);
        address_ = other.address_;
        return *this;
    }
    ~client_place() { leave(); }

    void leave() noexcept;

private:
    friend class client_counts;
    client_place(client_counts& counts, std::optional<std::uint64_t> address)
        : counts_(&counts), address_(address) {}

    client_counts* counts_ = nullptr;  // null: nobody is counted
    std::optional<std::uint64_t> address_;
};

// Outlives its places.
class client_counts {
public:
    explicit client_counts(const client_limits& limits) : limits_(limits) {}

    // Whether there are more than the process has descriptors for.
    bool too_many() const { return clients_.load() > limits_.clients_max; }

    // `address` is guard::limiter_key. Nothing: as many are there from this address as may be.
    std::optional<client_place> add(std::uint64_t address);
    // For clients whose address does not count: a proxy of ours.
    client_place add();

private:
    friend class client_place;
    void remove(std::optional<std::uint64_t> address) noexcept;

    static constexpr std::size_t parts = 64;  // 2^6: see part_of

    struct alignas(64) part {
        std::mutex mutex;
        boost::unordered_flat_map<std::uint64_t, std::size_t> clients;  // by address
    };
    part& part_of(std::uint64_t address) { return parts_[address * 0x9e3779b97f4a7c15U >> 58U]; }

    const client_limits limits_;
    std::atomic<std::size_t> clients_{0};
    std::array<part, parts> parts_;
};

}  // namespace floodgate::http
