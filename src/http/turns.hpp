// Two queues for the same threads. While both have work, three jobs of the first are taken for each
// one of the second. Any thread.

#pragma once

#include <deque>
#include <functional>
#include <mutex>

namespace floodgate::http {

class turns {
public:
    using work = std::function<void()>;
    static constexpr int ahead_in_a_row_max = 3;

    void add(bool ahead, work w) {
        const std::lock_guard lock(mutex_);
        (ahead ? ahead_ : behind_).push_back(std::move(w));
    }

    // The job whose turn it is. Must be called once for each add(), after it.
    work take() {
        const std::lock_guard lock(mutex_);
        const bool from_ahead =
            behind_.empty() || (!ahead_.empty() && in_a_row_ < ahead_in_a_row_max);
        in_a_row_ = from_ahead && !behind_.empty() ? in_a_row_ + 1 : 0;
        std::deque<work>& from = from_ahead ? ahead_ : behind_;
        work next = std::move(from.front());
        from.pop_front();
        return next;
    }

private:
    std::mutex mutex_;
    std::deque<work> ahead_, behind_;
    int in_a_row_ = 0;  // from `ahead_`, while something waited behind
};

}  // namespace floodgate::http
