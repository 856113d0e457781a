#include "queue/stream_queue.hpp"

#include "base/log.hpp"

namespace floodgate::queue {
namespace {

constexpr std::size_t removed_at_once = 1000;

}  // namespace

stream_queue::stream_queue(store::redis& redis, stream_queue_options o)
    : options_(std::move(o)),
      stream_(redis, {options_.name, options_.partition, "clerk", options_.consumer}),
      failures_(log::level::warning, "queue.stream", "partition", options_.partition.number),
      task_(
          "stream_queue", options_.retry_after, [this] { return step(); },
          // Removes entries once more, so that the next reader finds only the rest, unless this may
          // take long.
          [this] {
              if (failures_.failures() == 0) (void)remove_entered();
          }) {}

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
    stream_.resume();
    stream_.start_over();
    task_.start();
}

void stream_queue::stop() {
    task_.ask_to_stop();
    stream_.interrupt();
    task_.stop();
}

result<void> stream_queue::read(sale::sequence after, std::size_t max,
                                std::vector<sale::promise>& out) {
    return line_.read(after, max, out);
}

void stream_queue::entered(sale::sequence position) { line_.entered(position); }

sale::sequence stream_queue::durable() const { return line_.durable(); }

next_step stream_queue::step() {
    const result<void> done = work();
    if (task_.stopping()) return next_step::at_once();  // interrupted, which is no failure
    if (!done) {
        failures_.failed(done.error().message());
        return next_step::not_before(options_.retry_after);
    }
    failures_.succeeded();
    return is_full() ? next_step::after(options_.watch_every) : next_step::at_once();
}

result<void> stream_queue::work() {
    if (const auto done = remove_entered(); !done) return done;
    if (const auto done = watch(); !done) return done;
    if (is_full()) return {};
    return fetch();
}

bool stream_queue::is_full() const {
    return line_.size() >= options_.buffer_max || line_.given_up();
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

// False: the entries after it cannot be used now.
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
    // A node that does not know yet that it has lost the partition may have read the missing
    // entries. They are claimed back with the others.
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

// If the gate's count is lower than what has come, its store went back to an older state.
result<void> stream_queue::watch() {
    const bool full = line_.size() >= options_.buffer_max;
    if (machine_time.now() - watched_ < (full ? options_.watch_every : options_.check_every))
        return {};
    const auto promised = stream_.promised();
    if (!promised) return promised.error();
    watched_ = machine_time.now();
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

}  // namespace floodgate::queue
