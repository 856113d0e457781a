// Which server of a Redis Cluster holds which of its 16,384 slots.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/reply.hpp"

namespace floodgate::store {

inline constexpr std::size_t redis_slots_max = 16384;

// CRC16, modulo 16384, of the key or of the text between its first { and the next }.
std::uint16_t redis_slot(std::string_view key);

class redis_slots {
public:
    // From the answer to CLUSTER SLOTS. A server without a host has the host of `asked`. Empty:
    // this is no such answer.
    static std::optional<redis_slots> from(const redis_reply& answer, const std::string& asked);

    // HOST:PORT; empty: no server holds it.
    const std::string& server_of(std::uint16_t slot) const { return servers_[by_slot_[slot]]; }
    void moved(std::uint16_t slot, const std::string& address);

    std::vector<std::string> masters() const;
    const std::vector<std::string>& replicas() const { return replicas_; }
    bool complete() const;  // every slot has a server

private:
    std::uint16_t number_of(const std::string& address);

    std::vector<std::string> servers_{""};  // 0: none
    std::vector<std::string> replicas_;
    std::vector<std::uint16_t> by_slot_ = std::vector<std::uint16_t>(redis_slots_max);
};

}  // namespace floodgate::store
