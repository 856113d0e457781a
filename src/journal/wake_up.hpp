// Wakes one thread. A push while the thread is busy costs one atomic operation, and the thread then
// goes round once more.

#pragma once

#include <atomic>

namespace floodgate::journal {

class wake_up {
public:
    // Any thread. This always writes `state_`, even if it is pushed already: only a write makes
    // sure that the thread sees everything done before the push.
    void push() {
        if ((state_.fetch_or(pushed) & pushed) == 0) state_.notify_one();
    }

    // For good: from now on wait() returns false.
    void stop() {
        state_.fetch_or(stopped);
        state_.notify_one();
    }

    // Waits until there was a push since the last return. False after stop().
    bool wait() {
        state_.wait(0);
        return (state_.fetch_and(~pushed) & stopped) == 0;
    }

private:
    static constexpr int pushed = 1, stopped = 2;
    std::atomic<int> state_{0};  // an int, because the kernel can wait on it directly
};

}  // namespace floodgate::journal
