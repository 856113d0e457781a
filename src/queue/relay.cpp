#include "queue/relay.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace floodgate::queue {
namespace {

constexpr std::size_t entries_at_once = 64;

}  // namespace

relay::relay(partition_stream& stream, store::rabbit& rabbit, std::string exchange,
             std::string routing_key)
    : stream_(stream),
      rabbit_(rabbit),
      exchange_(std::move(exchange)),
      routing_key_(std::move(routing_key)) {}

void relay::begin(sale::line_place entered) {
    entered_ = entered;
    began_ = broken_ = missing_ = false;
    confirmed_ = 0;
    order_.begin(entered);
    needless_.clear();
    stream_.start_over();
}

bool relay::has_passed(sale::line_place last) const { return !began_ || last.number <= confirmed_; }

result<void> relay::move(milliseconds wait) {
    if (broken_) return {};
    const auto entries = stream_.next(entries_at_once, wait);
    if (!entries) return entries.error();
    std::size_t good = 0;
    while (good < entries->size() && fits((*entries)[good])) ++good;
    if (good == 0) return {};
    const auto some = std::span(*entries).first(good);
    if (const auto done = publish(some); !done) {
        stream_.start_over();
        broken_ = missing_ = false;  // seen again
        return done;
    }
    confirmed_ = std::max(confirmed_, some.back().last.number);
    return clear();
}

bool relay::fits(const stream_entry& e) {
    const auto promises = sale::decode_entry(e.body);
    const std::size_t count = promises ? promises->size() : 0;
    // Entries that another node relayed earlier are in RabbitMQ and not in the stream. Whether the
    // two fit together is checked where they are read.
    if (!began_ && count > 0 && e.last.epoch == entered_.epoch && count <= e.last.number &&
        e.last.number > entered_.number) {
        order_.begin({e.last.epoch, e.last.number - count});
        confirmed_ = e.last.number - count;
        began_ = true;
    }
    const entry_verdict verdict =
        order_.judge({.last = e.last, .promises = count, .fingerprint = fingerprint_of(e.body)});
    if (verdict == entry_verdict::next) missing_ = false;
    if (verdict == entry_verdict::next || verdict == entry_verdict::known) return true;
    // Only an entry that the ledger has can be skipped, not one that merely comes before the first
    // entry.
    if (verdict == entry_verdict::before_start && e.last.number <= entered_.number) {
        needless_.push_back(e.last);
        return true;
    }
    // As in stream_queue.
    if (verdict == entry_verdict::gap && !std::exchange(missing_, true)) {
        stream_.start_over();
        return false;
    }
    log::error("queue.line_broken", "stream", routing_key_, "entry", sale::entry_id(e.last),
               "expected_after", sale::entry_id(order_.end()));
    broken_ = true;
    return false;
}

result<void> relay::publish(std::span<const stream_entry> entries) {
    std::vector<store::rabbit_message> messages;
    for (const stream_entry& e : entries) {
        if (!order_.find(e.last) || (began_ && e.last.number <= confirmed_)) continue;
        messages.push_back({.exchange = exchange_,
                            .routing_key = routing_key_,
                            .headers = {{epoch_header, static_cast<std::int64_t>(e.last.epoch)},
                                        {last_header, static_cast<std::int64_t>(e.last.number)}},
                            .body = e.body});
    }
    if (messages.empty()) return {};
    if (const auto done = rabbit_.publish(messages); !done) return done;
    moved_ += messages.size();
    return {};
}

// Removes the confirmed entries from the stream.
result<void> relay::clear() {
    std::vector<sale::line_place> places = needless_;
    std::size_t count = 0;
    for (const line_entry& e : order_.held()) {
        if (e.last.number > confirmed_) break;
        places.push_back(e.last);
        ++count;
    }
    if (const auto done = stream_.remove(places); !done) {
        stream_.start_over();
        return done;
    }
    order_.removed(count);
    needless_.clear();
    return {};
}

}  // namespace floodgate::queue
