// The listeners: for each key (a buyer, an order) the loops whose clients want to hear of it.
//
// Any thread; a lock is held for one key at a time.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace floodgate::push {

struct listener {
    std::uint32_t loop = 0;  // see mailroom::open_box
    std::uint64_t id = 0;    // the loop's own number for it

    friend bool operator==(const listener&, const listener&) = default;
};

class listeners {
public:
    // If a key then has more than `max`, the one that has listened longest is removed and returned.
    std::optional<listener> add(std::uint64_t key, listener who, std::size_t max);
    // False: it was not there.
    bool remove(std::uint64_t key, listener who);

    std::size_t count() const { return count_.load(); }

    // Calls visit(loop) for every listener of the key, loops in the order their listeners came.
    template <class Visit>
    void for_each_loop(std::uint64_t key, Visit visit) const {
        const part& p = parts_[part_of(key)];
        const std::lock_guard lock(p.mutex);
        const auto found = p.listeners.find(key);
        if (found == p.listeners.end()) return;
        for (const listener& l : found->second) visit(l.loop);
    }

private:
    static constexpr std::size_t parts = 64;  // 2^6: see part_of

    struct alignas(64) part {
        mutable std::mutex mutex;
        boost::unordered_flat_map<std::uint64_t, std::vector<listener>> listeners;
    };
    static std::size_t part_of(std::uint64_t key) { return key * 0x9e3779b97f4a7c15U >> 58U; }

    std::array<part, parts> parts_;
    std::atomic<std::size_t> count_{0};
};

}  // namespace floodgate::push
