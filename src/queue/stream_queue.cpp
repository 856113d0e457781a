#include "queue/stream_queue.hpp"

#include "base/log.hpp"
#include "base/thread.hpp"

namespace floodgate::queue {
namespace {

using steady = std::chrono::steady_clock;

constexpr std::size_t removed_at_once = 1000;

}  // namespace

stream_queue::stream_queue(store::redis& redis, stream_queue_options o)
    : options_(std::move(o)),
      stream_(redis, {options_.name, options_.partition, "clerk", options_.consumer}) {}

stream_queue::~stream_queue() { stop(); }

result<std::vector<sale::promise>> stream_queue::left_behind(std::size_t max) {
    return stream_.left_behind(max);
}

result<void> stream_queue::forget() { return stream_.forget(); }

void stream_queue::start(sale::sequence entered, std::function<void()> news) {
    stop();
    line_.begin(entered);
    news_ = std::move(news);
    noted_ = 0;
    missing_ = fresh_ = false;
    needless_.clear();
    stopping_ = false;
    stream_.resume();
    stream_.start_over();
    thread_ = std::thread([this] { work(); });
}

void stream_queue::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    stream_.interrupt();
    if (thread_.joinable()) thread_.join();
}

result<void> stream_queue::read(sale::sequence after, std::size_t max,
                                std::vector<sale::promise>& out) {
    return line_.read(after, max, out);
}

void stream_queue::entered(sale::sequence position) { line_.entered(position); }

sale::sequence stream_queue::durable() const { return line_.durable(); }

void stream_queue::work() {
    name_thread("stream_queue");
    bool failing = false;
    for (;;) {
        result<void> done = remove_entered();
        if (done) done = watch();
        const bool full = line_.size() >= options_.buffer_max || line_.given_up();
        if (done && !full) done = fetch();
        if (stopping()) break;
        if (!done && !failing)
            log::warning("queue.stream_failed", "partition", options_.partition.number, "reason",
                         done.error().message());
        if (done && failing)
            log::info("queue.stream_recovered", "partition", options_.partition.number);
        failing = !done;
        if (failing || full) rest(failing ? options_.retry_after : options_.watch_every);
    }
    // One more time, so that the next reader need not wonder; not when it may take long.
    if (!failing) (void)remove_entered();
}

result<void> stream_queue::fetch() {
    const bool busy = !line_.to_remove(1).empty();
    const auto entries =
        stream_.next(options_.entries_at_once, busy ? milliseconds(0) : options_.wait);
    if (!entries) return entries.error();
    for (const stream_entry& e : *entries)
        if (!add(e)) break;
    if (std::exchange(fresh_, false)) news_();
    if (const auto done = stream_.remove(needless_); !done) return done;
    needless_.clear();
    return {};
}

// False: the entries after it are of no use now.
bool stream_queue::add(const stream_entry& e) {
    const entry_verdict verdict = line_.add(e.last, e.body);
    switch (verdict) {
    case entry_verdict::next:
        missing_ = false;
        fresh_ = true;
        return true;
    case entry_verdict::known: return true;
    case entry_verdict::before_start: needless_.push_back(e.last); return true;
    default: break;
    }
    // A node that does not know yet that it has lost the partition may have read what is missing:
    // claimed back with the rest.
    if (verdict == entry_verdict::gap && !std::exchange(missing_, true)) {
        stream_.start_over();
        return false;
    }
    log::error("queue.line_broken", "partition", options_.partition.number, "entry",
               sale::entry_id(e.last), "expected_after", sale::entry_id(line_.end()));
    line_.give_up();
    fresh_ = true;
    return false;
}

// A gate that counts less than has come is one whose store went back in time.
result<void> stream_queue::watch() {
    const bool full = line_.size() >= options_.buffer_max;
    if (steady::now() - watched_ < (full ? options_.watch_every : options_.check_every)) return {};
    const auto promised = stream_.promised();
    if (!promised) return promised.error();
    watched_ = steady::now();
    if (!*promised) return {};
    line_.saw(**promised);
    const sale::line_place end = line_.end();
    if ((*promised)->epoch != end.epoch || (*promised)->number >= end.number || line_.given_up())
        return {};
    log::error("queue.line_went_back", "partition", options_.partition.number, "gate",
               sale::entry_id(**promised), "read", sale::entry_id(end));
    line_.give_up();
    news_();
    return {};
}

result<void> stream_queue::remove_entered() {
    for (;;) {
        const auto entries = line_.to_remove(removed_at_once);
        if (entries.empty()) break;
        std::vector<sale::line_place> places;
        places.reserve(entries.size());
        for (const line_entry& e : entries) places.push_back(e.last);
        if (const auto done = stream_.remove(places); !done) return done;
        line_.removed(places.size());
    }
    const sale::line_place has = line_.ledger_has();
    if (has.number == noted_) return {};
    if (const auto done = stream_.note_entered(has); !done) return done;
    noted_ = has.number;
    return {};
}

bool stream_queue::stopping() {
    const std::lock_guard lock(mutex_);
    return stopping_;
}

void stream_queue::rest(milliseconds time) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, time, [this] { return stopping_; });
}

}  // namespace floodgate::queue
