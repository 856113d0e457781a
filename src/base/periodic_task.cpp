#include "base/periodic_task.hpp"

#include <algorithm>
#include <cassert>
#include <exception>

#include "base/thread.hpp"

namespace floodgate {
namespace {

// A condition variable adds the rest to the present time; the sum must not overflow.
constexpr milliseconds rest_max = std::chrono::hours(24);

}  // namespace

periodic_task::~periodic_task() { stop(); }

void periodic_task::start() {
    const std::lock_guard starting(joining_);
    assert(!thread_.joinable() && "the task has not been stopped");
    {
        const std::lock_guard lock(mutex_);
        stopping_ = false;
        ended_ = false;
    }
    thread_ = std::thread([this] { run(); });
}

void periodic_task::ask_to_stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
}

void periodic_task::stop() {
    ask_to_stop();
    const std::lock_guard stopping(joining_);
    assert(thread_.get_id() != std::this_thread::get_id() && "a task cannot stop itself");
    if (thread_.joinable()) thread_.join();
}

bool periodic_task::stop_within(milliseconds patience) {
    ask_to_stop();
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return ended_; });
}

void periodic_task::wake() {
    // The task sets listening_ before it reads woken_; this thread sets woken_ before it reads
    // listening_. So at least one of the two sees what the other has done.
    if (woken_.exchange(true) || !listening_) return;
    { const std::lock_guard lock(mutex_); }  // the task waits by now
    changed_.notify_all();
}

void periodic_task::run() {
    name_thread(name_);
    if (run_steps() && finish_) guarded(finish_);
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
}

bool periodic_task::run_steps() {
    while (!stopping_) {
        woken_.exchange(false);
        const next_step next = take_step();
        if (next.kind_ == next_step::kind::over) return false;
        rest(next);
    }
    return true;
}

next_step periodic_task::take_step() {
    next_step next = next_step::after_interval();
    guarded([&] { next = step_(); });
    return next;
}

void periodic_task::guarded(const std::function<void()>& act) {
    try {
        act();
        thrown_.succeeded();
    } catch (const std::exception& e) {
        thrown_.failed(e.what());
    } catch (...) {
        thrown_.failed("something that is no exception was thrown");
    }
}

void periodic_task::rest(const next_step& next) {
    using kind = next_step::kind;
    const milliseconds time = next.kind_ == kind::interval ? interval_ : next.rest_;
    if (next.kind_ != kind::woken && time <= milliseconds(0)) return;
    std::unique_lock lock(mutex_);
    listening_ = next.kind_ != kind::undisturbed;
    const auto over = [this] { return stopping_ || (listening_ && woken_); };
    if (next.kind_ == kind::woken)
        changed_.wait(lock, over);
    else
        changed_.wait_for(lock, std::min(time, rest_max), over);
    listening_ = false;
}

}  // namespace floodgate
