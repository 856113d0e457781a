#include "http/client_counts.hpp"

namespace floodgate::http {

void client_place::leave() noexcept {
    if (client_counts* counts = std::exchange(counts_, nullptr)) counts->remove(address_);
}

std::optional<client_place> client_counts::add(std::uint64_t address) {
    part& p = part_of(address);
    const std::lock_guard lock(p.mutex);
    std::size_t& count = p.clients[address];
    if (count >= limits_.per_address_max) return std::nullopt;
    ++count;
    ++clients_;
    return client_place(*this, address);
}

client_place client_counts::add() {
    ++clients_;
    return {*this, std::nullopt};
}

void client_counts::remove(std::optional<std::uint64_t> address) noexcept {
    --clients_;
    if (!address) return;
    part& p = part_of(*address);
    const std::lock_guard lock(p.mutex);
    const auto found = p.clients.find(*address);
    if (--found->second == 0) p.clients.erase(found);
}

}  // namespace floodgate::http
