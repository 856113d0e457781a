// A thread that does one thing again and again: closing, asking, watching.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.hpp"

namespace floodgate::clerk {

class routine {
public:
    // `work` says whether there is more to do: then it is called again at once, otherwise after
    // `period`. What it throws is logged and does not end the routine. `name` has at most 15
    // characters.
    routine(std::string name, milliseconds period, std::function<bool()> work);
    ~routine();  // stop()

    void start();  // once; works for the first time at once
    void stop();   // waits for the work in hand; idempotent
    void wake();   // any thread: works now, or once more when it is at work

private:
    void run();

    const std::string name_;
    const milliseconds period_;
    const std::function<bool()> work_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false, woken_ = false;  // guarded by mutex_
    std::thread thread_;
};

}  // namespace floodgate::clerk
