// A value that one thread replaces now and then, and that event loops read all the time.
//
// A reader keeps the value it has seen and looks only at a number whether there is a newer one, so
// that reading takes no lock and shares no reference count.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace floodgate {

// Any thread.
template <class Value>
class published {
public:
    void publish(Value next) {
        auto kept = std::make_shared<const Value>(std::move(next));
        const std::lock_guard lock(mutex_);
        value_ = std::move(kept);
        version_.fetch_add(1, std::memory_order_release);
    }
    std::shared_ptr<const Value> read() const {
        const std::lock_guard lock(mutex_);
        return value_;
    }
    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Value> value_ = std::make_shared<const Value>();
    std::atomic<std::uint64_t> version_{1};
};

// One thread's view of it.
template <class Value>
class subscription {
public:
    explicit subscription(const published<Value>& of) : of_(of) {}
    // Good until the next call.
    const Value& newest() {
        const std::uint64_t now = of_.version();
        if (now != seen_) {
            seen_ = now;
            value_ = of_.read();
        }
        return *value_;
    }

private:
    const published<Value>& of_;
    std::uint64_t seen_ = 0;
    std::shared_ptr<const Value> value_;
};

}  // namespace floodgate
