// A thread that takes one step again and again: closing, asking, watching.
//
//   periodic_task closing_("closer", 100ms, [this] { return close_some(); });
//
// After each step the task rests, and the step says for how long. Its result is one of:
//
//   nothing     it rests for the interval
//   bool        true: there is more to do, so the next step follows at once; false: the interval
//   next_step   whatever the step has chosen
//
// When a step throws, the task goes on after the interval; the first of such failures and the
// recovery are logged. A step that waits for a server needs a time-out of its own, or a wait that
// the caller of stop() interrupts first.

#pragma once

#include <atomic>
#include <concepts>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>

#include "base/clock.hpp"
#include "base/failure_log.hpp"

namespace floodgate {

// When a task takes its next step. stop() ends every rest.
class next_step {
public:
    static next_step at_once() { return {kind::timed, milliseconds(0)}; }
    static next_step after_interval() { return {kind::interval, {}}; }
    static next_step after(milliseconds rest) { return {kind::timed, rest}; }  // or when woken
    static next_step when_woken() { return {kind::woken, {}}; }
    // wake() does not shorten this rest.
    static next_step not_before(milliseconds rest) { return {kind::undisturbed, rest}; }
    static next_step never() { return {kind::over, {}}; }  // the task is over

private:
    friend class periodic_task;
    enum class kind : std::uint8_t { interval = 1, timed, woken, undisturbed, over };
    next_step(kind k, milliseconds rest) : kind_(k), rest_(rest) {}

    kind kind_;
    milliseconds rest_;
};

class periodic_task {
public:
    // `name` names the thread. `finish`, if given, runs after the last step, on the same thread,
    // when the task is stopped; it does not run after next_step::never().
    template <std::invocable Step>
    periodic_task(std::string name, milliseconds interval, Step step,
                  std::function<void()> finish = {})
        : name_(std::move(name)),
          interval_(interval),
          step_(normalised(std::move(step))),
          finish_(std::move(finish)) {}
    ~periodic_task();  // stop()
    periodic_task(const periodic_task&) = delete;
    periodic_task& operator=(const periodic_task&) = delete;

    // Takes the first step at once. A stopped task may be started again.
    void start();
    // Waits for the current step to end. Idempotent. The task itself must not call it.
    void stop();
    // The first half of stop(). For a step that waits for a server: ask, interrupt the wait, stop.
    void ask_to_stop();
    // Asks the task to stop and waits for at most `patience`. False: the task is still at work.
    bool stop_within(milliseconds patience);
    // Any thread. Makes the task take a step now, or another one after the current step. While a
    // step is running, this costs two atomic operations and no lock.
    void wake();

    bool stopping() const { return stopping_; }  // for steps that take long

private:
    template <class Step>
    static std::function<next_step()> normalised(Step step) {
        using result = std::invoke_result_t<Step&>;
        if constexpr (std::is_same_v<result, next_step>) {
            return step;
        } else if constexpr (std::is_void_v<result>) {
            return [step = std::move(step)]() mutable {
                step();
                return next_step::after_interval();
            };
        } else {
            static_assert(std::is_same_v<result, bool>, "a step gives nothing, bool or next_step");
            return [step = std::move(step)]() mutable {
                return step() ? next_step::at_once() : next_step::after_interval();
            };
        }
    }

    void run();
    bool run_steps();  // false: the task is over
    next_step take_step();
    void rest(const next_step& next);
    void guarded(const std::function<void()>& act);

    const std::string name_;
    const milliseconds interval_;
    const std::function<next_step()> step_;
    const std::function<void()> finish_;
    failure_log thrown_{log::level::error, "base.task", "task", name_};  // the task's own thread

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<bool> stopping_{false};   // changed under mutex_
    std::atomic<bool> woken_{false};      // since the last step began
    std::atomic<bool> listening_{false};  // resting, and to be woken; changed under mutex_
    bool ended_ = true;                   // guarded by mutex_
    std::mutex joining_;                  // several may stop it
    std::thread thread_;                  // guarded by joining_
};

}  // namespace floodgate
