// A counter with one writer, its loop's thread, that the metrics page may read at any time.

#pragma once

#include <atomic>
#include <cstdint>

namespace floodgate::http {

class tally {
public:
    void add(std::int64_t n = 1) {
        value_.store(value_.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(n),
                     std::memory_order_relaxed);
    }
    std::uint64_t read() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace floodgate::http
