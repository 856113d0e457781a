#include "http/client_counts.hpp"

namespace floodgate::http {

bool client_counts::add(std::uint64_t address) {
    part& p = part_of(address);
    const std::lock_guard lock(p.mutex);
    std::size_t& count = p.connections[address];
    if (count >= limits_.per_address_max) return false;
    ++count;
    add();
    return true;
}

void client_counts::remove(std::uint64_t address) {
    part& p = part_of(address);
    const std::lock_guard lock(p.mutex);
    const auto found = p.connections.find(address);
    if (--found->second == 0) p.connections.erase(found);
    remove();
}

}  // namespace floodgate::http
