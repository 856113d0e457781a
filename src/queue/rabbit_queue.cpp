#include "queue/rabbit_queue.hpp"

#include <thread>

#include "base/log.hpp"

namespace floodgate::queue {
namespace {

using store::rabbit_delivery;

// An entry is delivered again when a node goes, never because of its content; so there is no low
// limit.
constexpr std::int64_t deliveries_max = 1'000'000;
constexpr std::int64_t dead_kept_max = 10'000;
constexpr std::size_t acknowledged_at_once = 1000;
constexpr milliseconds hold_again{20};

std::string queue_of(const rabbit_queue_options& o) {
    return o.name + ".promises." + std::to_string(o.partition.number);
}

std::string exchange_of(const rabbit_queue_options& o) { return o.name + ".promises"; }

std::string dead_of(const rabbit_queue_options& o) { return o.name + ".dead"; }

std::optional<sale::line_place> place_of(const rabbit_delivery& d) {
    const auto epoch = d.header(epoch_header), last = d.header(last_header);
    if (!epoch || !last || *epoch < 0 || *last < 0) return std::nullopt;
    return sale::line_place{static_cast<std::uint64_t>(*epoch), static_cast<std::uint64_t>(*last)};
}

}  // namespace

rabbit_queue::rabbit_queue(store::redis& redis, const store::rabbit_options& rabbit,
                           rabbit_queue_options o)
    : options_(std::move(o)),
      rabbit_(rabbit),
      stream_(redis, {options_.name, options_.partition, "relay", options_.consumer}),
      relay_(stream_, rabbit_, exchange_of(options_), std::to_string(options_.partition.number)),
      failures_(log::level::warning, "queue.rabbit", "partition", options_.partition.number),
      task_(
          "rabbit_queue", options_.retry_after, [this] { return step(); }, [this] { finish(); }) {}

rabbit_queue::~rabbit_queue() { stop(); }

result<void> rabbit_queue::read(sale::sequence after, std::size_t max,
                                std::vector<sale::promise>& out) {
    return line_.read(after, max, out);
}

void rabbit_queue::entered(sale::sequence position) {
    line_.entered(position);
    rabbit_.wake();
}

sale::sequence rabbit_queue::durable() const { return line_.durable(); }

rabbit_queue::figures rabbit_queue::read_figures() const {
    return {.relayed = relay_.moved(),
            .received = received_,
            .doubled = doubled_,
            .dead = dead_,
            .failures = failed_,
            .connected = connected_};
}

void rabbit_queue::start(sale::sequence entered, std::function<void()> news) {
    halt();
    line_.begin(entered);
    relay_.begin(sale::to_place(entered));
    news_ = std::move(news);
    noted_ = 0;
    left_ = {};
    stream_.resume();
    rabbit_.resume();
    failing_ = false;
    task_.start();
}

void rabbit_queue::stop() {
    halt();
    rabbit_.close();  // if it was only opened to see what was left behind
    left_ = {};
}

void rabbit_queue::halt() {
    task_.ask_to_stop();
    stream_.interrupt();
    rabbit_.wake();
    if (!task_.stop_within(options_.stop_patience)) rabbit_.interrupt();
    task_.stop();
    rabbit_.resume();
    stream_.resume();
}

next_step rabbit_queue::step() {
    const result<void> done = work();
    connected_ = rabbit_.is_open();
    if (std::exchange(fresh_, false)) news_();
    if (task_.stopping()) return next_step::at_once();  // interrupted, which is no failure
    failing_ = !done;
    if (done) failures_.succeeded();
    if (done) return next_step::at_once();
    ++failed_;
    // A corrupt line has been reported by break_off().
    if (done.error() != errc::corrupt) failures_.failed(done.error().message());
    return next_step::not_before(options_.retry_after);
}

void rabbit_queue::finish() {
    // An acknowledgement has no answer, but the answer to a later question shows that it has
    // arrived.
    if (!failing_ && acknowledge()) (void)rabbit_.look_at_queue(queue_of(options_));
    if (!failing_) (void)note_entered();
    rabbit_.close();  // another node may take the partition at once
    connected_ = false;
}

// Without Redis, the messages in RabbitMQ still reach the ledger. Without RabbitMQ, only durable()
// goes on.
result<void> rabbit_queue::work() {
    const auto opened = rabbit_.open();
    result<void> redis = watch(opened ? options_.check_every : options_.watch_every);
    if (line_.given_up()) return errc::corrupt;
    if (!opened) return opened.error();
    if (const auto done = attach(); !done) return done;
    if (const auto done = acknowledge(); !done) return done;
    if (redis) redis = note_entered();
    if (redis) redis = move();
    if (const auto done = receive(); !done) return done;
    if (relay_.broken() && relay_.seen() <= line_.end())
        break_off("queue.relay_stopped", relay_.seen());
    return redis;
}

result<void> rabbit_queue::move() {
    const bool awaited = relay_.seen() > line_.end();
    const bool busy = awaited || !line_.to_remove(1).empty();
    const auto moved = relay_.move(busy ? milliseconds(0) : options_.wait);
    line_.saw(relay_.seen());
    return moved;
}

// Sets up a new connection: declarations, the lock and deliveries belonged to the old one.
result<void> rabbit_queue::attach() {
    if (const auto connection = rabbit_.open(); connection && *connection == consuming_) return {};
    if (const auto done = prepare_soon(); !done) return done;
    line_.forget_tags();
    out_of_order_ = false;
    if (const auto done = rabbit_.consume(queue_of(options_), options_.prefetch); !done)
        return done;
    consuming_ = prepared_;
    return {};
}

result<void> rabbit_queue::prepare() {
    const auto connection = rabbit_.open();
    if (!connection) return connection.error();
    if (prepared_ == *connection) return {};
    const std::string queue = queue_of(options_), dead = dead_of(options_);
    if (const auto done = hold(); !done) return done;
    if (const auto done = rabbit_.declare_exchange(exchange_of(options_), "direct"); !done)
        return done;
    if (const auto done = rabbit_.declare_exchange(dead, "fanout"); !done) return done;
    const auto dead_made =
        rabbit_.declare_queue(dead, {{"x-queue-type", "quorum"}, {"x-max-length", dead_kept_max}});
    if (!dead_made) return dead_made.error();
    if (const auto done = rabbit_.bind(dead, dead, ""); !done) return done;
    const auto made = rabbit_.declare_queue(queue, {{"x-queue-type", "quorum"},
                                                    {"x-dead-letter-exchange", dead},
                                                    {"x-dead-letter-strategy", "at-least-once"},
                                                    {"x-overflow", "reject-publish"},
                                                    {"x-delivery-limit", deliveries_max}});
    if (!made) return made.error();
    // A consumer that is still counted may hold messages that no other consumer can see.
    if (made->consumers > 0) {
        rabbit_.close();
        return errc::conflict;
    }
    const std::string key = std::to_string(options_.partition.number);
    if (const auto done = rabbit_.bind(queue, exchange_of(options_), key); !done) return done;
    prepared_ = *connection;
    return {};
}

// Tries for a while, because the former holder may be giving up the lock just now.
result<void> rabbit_queue::prepare_soon() {
    const auto by = machine_time.now() + options_.hold_patience;
    for (;;) {
        const auto done = prepare();
        if (done || done.error() != errc::conflict) return done;
        if (machine_time.now() >= by) return errc::store_unavailable;
        std::this_thread::sleep_for(hold_again);
    }
}

result<void> rabbit_queue::hold() {
    const auto held = rabbit_.declare_queue(
        options_.name + ".holder." + std::to_string(options_.partition.number), {},
        store::queue_life::with_connection);
    if (held) return {};
    return held.error();
}

result<void> rabbit_queue::acknowledge() {
    for (;;) {
        const auto entries = line_.to_remove(acknowledged_at_once);
        if (entries.empty()) break;
        // Entries without a tag came over a lost connection and will come again.
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::uint64_t tag = entries[i].tag;
            const bool last = i + 1 == entries.size() || entries[i + 1].tag == 0;
            if (tag == 0 || (!last && !out_of_order_)) continue;
            if (const auto done = rabbit_.ack(tag, !out_of_order_); !done) return done;
        }
        line_.removed(entries.size());
    }
    return {};
}

result<void> rabbit_queue::note_entered() {
    const sale::line_place has = line_.ledger_has();
    if (has.number == noted_) return {};
    if (const auto done = stream_.note_entered(has); !done) return done;
    noted_ = has.number;
    return {};
}

result<void> rabbit_queue::receive() {
    const bool awaited = relay_.seen() > line_.end();
    if (line_.given_up()) return errc::corrupt;
    const auto got = rabbit_.take(awaited ? options_.wait_for_delivery : milliseconds(0));
    if (!got) return got.error();
    for (const rabbit_delivery& d : *got) {
        if (line_.given_up()) return errc::corrupt;
        if (const auto done = judge(d); !done) return done;
    }
    return {};
}

result<void> rabbit_queue::judge(const rabbit_delivery& d) {
    ++received_;
    const auto last = place_of(d);
    if (!last) return bury(d);
    switch (line_.add(*last, d.body, d.tag)) {
    case entry_verdict::next: fresh_ = true; return {};
    case entry_verdict::known:
        switch (line_.tag(*last, d.tag)) {
        case received_line::tagging::in_order: return {};
        case received_line::tagging::out_of_order: out_of_order_ = true; return {};
        case received_line::tagging::doubled: break;
        }
        break;
    case entry_verdict::before_start:
    case entry_verdict::passed: break;
    case entry_verdict::gap:
        // An earlier entry was not confirmed, so all of them are still in the stream and will come
        // again.
        if (!relay_.has_passed(*last)) break;
        break_off("queue.line_broken", *last);
        return errc::corrupt;
    case entry_verdict::foreign: break_off("queue.line_broken", *last); return errc::corrupt;
    case entry_verdict::unreadable: return bury(d);
    }
    ++doubled_;
    return rabbit_.ack(d.tag, false);
}

result<void> rabbit_queue::bury(const rabbit_delivery& d) {
    ++dead_;
    log::error("queue.message_unreadable", "queue", queue_of(options_), "bytes", d.body.size(),
               "goes_to", dead_of(options_));
    return rabbit_.reject(d.tag);
}

void rabbit_queue::break_off(const char* event, sale::line_place at) {
    log::error(event, "partition", options_.partition.number, "entry", sale::entry_id(at),
               "expected_after", sale::entry_id(line_.end()));
    line_.give_up();
    fresh_ = true;
}

result<void> rabbit_queue::watch(milliseconds every) {
    if (machine_time.now() - watched_ < every) return {};
    const auto promised = stream_.promised();
    if (!promised) return promised.error();
    watched_ = machine_time.now();
    if (!*promised) return {};
    line_.saw(**promised);
    const sale::line_place end = line_.end();
    if (!line_.given_up() && (*promised)->epoch == end.epoch && (*promised)->number < end.number)
        break_off("queue.line_went_back", **promised);
    return {};
}

// Reads RabbitMQ before the stream, because its entries are older.
result<std::vector<sale::promise>> rabbit_queue::left_behind(std::size_t max) {
    if (const auto done = prepare_soon(); !done) return done.error();
    if (left_.promises.empty() || left_.connection != prepared_) {
        left_ = {.connection = prepared_};
        if (const auto done = drain(max); !done) return done.error();
    }
    if (!left_.promises.empty()) return left_.promises;
    return stream_.left_behind(max);
}

result<void> rabbit_queue::drain(std::size_t max) {
    while (left_.promises.size() < max) {
        const auto got = rabbit_.get(queue_of(options_));
        if (!got) return got.error();
        if (!*got) break;
        const rabbit_delivery& d = **got;
        const auto promises = sale::decode_entry(d.body);
        if (!promises) {
            if (const auto done = bury(d); !done) return done;
            continue;
        }
        left_.last_tag = d.tag;
        left_.promises.insert(left_.promises.end(), promises->begin(), promises->end());
    }
    return {};
}

result<void> rabbit_queue::forget() {
    if (left_.promises.empty()) return stream_.forget();
    const leftovers left = std::exchange(left_, {});
    const auto connection = rabbit_.is_open() ? rabbit_.open() : errc::store_unavailable;
    if (!connection || *connection != left.connection) return errc::store_unavailable;
    if (const auto done = rabbit_.ack(left.last_tag, true); !done) return done;
    // As in finish().
    const auto facts = rabbit_.look_at_queue(queue_of(options_));
    if (!facts) return facts.error();
    return {};
}

}  // namespace floodgate::queue
