#include "clerk/clerk.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace floodgate::clerk {
namespace {

constexpr milliseconds oversee_every{100};
constexpr milliseconds look_again{20};  // whether the rush is over

}  // namespace

result<ledger::entry_report> clerk::patient_sink::enter(std::span<const sale::promise> batch,
                                                        sale::sequence last) {
    priority_.lower();
    result<ledger::entry_report> report = inner_.enter(batch, last);
    priority_.restore();
    return report;
}

clerk::clerk(desk::world w, const options& o, sale::sequence entered, callbacks told)
    : options_(o),
      told_(std::move(told)),
      sink_(w.sink, priority_),
      desk_({w.source, sink_, w.turnstile, w.clock}, o, entered, told_.news),
      line_(w.source),
      rush_(o.rush_per_s) {}

clerk::~clerk() { stop(); }

void clerk::start() {
    worker_ = std::thread([this] { work(); });
    overseer_ = std::thread([this] { oversee(); });
}

void clerk::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_one();
    end_.notify_one();
    if (overseer_.joinable()) overseer_.join();
    priority_.allow(false);
    if (worker_.joinable()) worker_.join();
}

void clerk::notify() {
    // Both sides exchange, so that of two who meet the later one sees the earlier one's doing.
    if (news_.exchange(true)) return;
    if (!listening_) return;
    { const std::lock_guard lock(mutex_); }
    wake_.notify_one();
}

void clerk::rest(milliseconds time, bool deaf) {
    std::unique_lock lock(mutex_);
    listening_ = !deaf;
    wake_.wait_for(lock, time, [&] { return stopping_ || (!deaf && news_); });
    listening_ = false;
}

void clerk::work() {
    priority_.adopt();
    while (!stopping_)
        if (!work_once()) return;
    drain();
}

bool clerk::stands_aside() {
    const bool rush = rush_.look(line_.durable().value, std::chrono::steady_clock::now());
    if (!rush) return false;
    desk_.note_oldest();
    pressed_ = pressing(pressed_, {.backlog = desk_.backlog(), .oldest_age = desk_.oldest_age()},
                        options_);
    return !pressed_;
}

// False when there is no point in going on.
bool clerk::work_once() {
    if (stands_aside()) {
        rest(look_again, true);
        return true;
    }
    news_.exchange(false);
    switch (desk_.step()) {
    case outcome::nothing: rest(options_.poll, false); break;
    case outcome::part:
        // More has come meanwhile, so a rush is on: one larger batch costs less than two.
        if (desk_.backlog() > 0) rest(options_.linger, true);
        break;
    case outcome::full: break;
    case outcome::failed: rest(retry_after(desk_.failures(), options_), true); break;
    case outcome::corrupt:
        if (told_.on_fatal) told_.on_fatal(desk_.failure());
        return false;
    }
    return true;
}

void clerk::drain() {
    // A ledger that is away now would be waited for; what is left is entered after the next start.
    if (desk_.failures() > 0) {
        log::info("clerk.stopped", "position", position().value, "left", desk_.backlog());
        return;
    }
    const auto deadline = std::chrono::steady_clock::now() + options_.drain;
    for (;;) {
        const outcome o = desk_.step();
        if (o == outcome::nothing || o == outcome::corrupt) break;
        if (std::chrono::steady_clock::now() >= deadline) break;
        if (o == outcome::failed)
            std::this_thread::sleep_for(retry_after(desk_.failures(), options_));
    }
    log::info("clerk.stopped", "position", position().value, "left", desk_.backlog());
}

void clerk::oversee() {
    priority current = priority::low;
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, oversee_every, [this] { return stopping_.load(); })) {
        const workload load{current, desk_.backlog(), desk_.oldest_age()};
        const priority next = priority_for(load, options_);
        if (next == current) continue;
        current = next;
        priority_.allow(current == priority::low);
        log::info(current == priority::low ? "clerk.demoted" : "clerk.promoted", "backlog",
                  load.backlog, "oldest_ms", load.oldest_age.count());
    }
}

}  // namespace floodgate::clerk
