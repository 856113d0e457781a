#include "clerk/routine.hpp"

#include <exception>

#include "base/thread.hpp"
#include "clerk/trouble.hpp"

namespace floodgate::clerk {

routine::routine(std::string name, milliseconds period, std::function<bool()> work)
    : name_(std::move(name)), period_(period), work_(std::move(work)) {}

routine::~routine() { stop(); }

void routine::start() {
    thread_ = std::thread([this] { run(); });
}

void routine::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void routine::wake() {
    {
        const std::lock_guard lock(mutex_);
        woken_ = true;
    }
    changed_.notify_all();
}

void routine::run() {
    name_thread(name_.c_str());
    trouble thrown(name_);
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        woken_ = false;
        lock.unlock();
        bool more = false;
        try {
            more = work_();
            thrown.over();
        } catch (const std::exception& e) {
            thrown.note(e.what());
        } catch (...) {
            thrown.note("something that is no exception was thrown");
        }
        lock.lock();
        if (!more) changed_.wait_for(lock, period_, [this] { return stopping_ || woken_; });
    }
}

}  // namespace floodgate::clerk
