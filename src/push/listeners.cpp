#include "push/listeners.hpp"

#include <algorithm>

namespace floodgate::push {

std::optional<listener> listeners::add(std::uint64_t key, listener who, std::size_t max) {
    // Counted before it is in the table, so that a reader who sees 0 knows that the table is empty.
    ++count_;
    part& p = parts_[part_of(key)];
    const std::lock_guard lock(p.mutex);
    auto& all = p.listeners[key];
    all.push_back(who);
    if (all.size() <= max) return std::nullopt;
    const listener oldest = all.front();
    all.erase(all.begin());
    --count_;
    return oldest;
}

bool listeners::remove(std::uint64_t key, listener who) {
    part& p = parts_[part_of(key)];
    const std::lock_guard lock(p.mutex);
    const auto found = p.listeners.find(key);
    if (found == p.listeners.end()) return false;
    const auto at = std::ranges::find(found->second, who);
    if (at == found->second.end()) return false;
    found->second.erase(at);
    if (found->second.empty()) p.listeners.erase(found);
    --count_;
    return true;
}

}  // namespace floodgate::push
