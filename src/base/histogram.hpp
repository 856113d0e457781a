// Counts how often a measured value fell into which range. Any thread may add. A reading taken
// while others add may miss the latest values.

#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace floodgate {

class histogram {
public:
    // `bounds` ascend. A value is counted under the first bound that is not below it; a value above
    // the last bound has a count of its own.
    explicit histogram(std::initializer_list<std::uint64_t> bounds)
        : bounds_(bounds),
          counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds.size() + 1)) {}

    void add(std::uint64_t value) {
        std::size_t at = 0;
        while (at < bounds_.size() && value > bounds_[at]) ++at;
        counts_[at].fetch_add(1, std::memory_order_relaxed);
        sum_.fetch_add(value, std::memory_order_relaxed);
    }

    struct reading {
        std::vector<std::uint64_t> bounds;
        std::vector<std::uint64_t> counts;  // one more than bounds; each for its own range
        std::uint64_t sum = 0;

        std::uint64_t total() const {
            std::uint64_t all = 0;
            for (const std::uint64_t c : counts) all += c;
            return all;
        }
    };
    reading read() const {
        reading r{bounds_, {}, sum_.load(std::memory_order_relaxed)};
        for (std::size_t i = 0; i <= bounds_.size(); ++i)
            r.counts.push_back(counts_[i].load(std::memory_order_relaxed));
        return r;
    }

private:
    const std::vector<std::uint64_t> bounds_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
    std::atomic<std::uint64_t> sum_{0};
};

}  // namespace floodgate
