#include "queue/reminders.hpp"

#include <algorithm>

#include "base/random_id.hpp"

namespace floodgate::queue {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint16_t prefetch = 64;
constexpr std::int64_t heard_max = 1000;  // in a node's own queue
constexpr milliseconds listen_for{1000};
constexpr milliseconds stop_patience{500};
// A queue that expires takes its messages with it, so it must outlast its last message. It lives
// for its delay and ten minutes after its last declaration, and is declared again every five
// minutes.
constexpr minutes declare_every{5};
constexpr minutes outlasts{10};

}  // namespace

reminders::reminders(const store::rabbit_options& rabbit, std::string name,
                     std::function<void()> on_due, reminders_options o,
                     const monotonic_clock& clock)
    : name_(std::move(name)),
      options_(o),
      on_due_(std::move(on_due)),
      clock_(clock),
      rabbit_(rabbit),
      task_(
          "reminders", options_.retry_after, [this] { return step(); },
          [this] {
              rabbit_.close();
              connected_ = false;
          }) {}

reminders::~reminders() { stop(); }

void reminders::start() {
    stop();
    rabbit_.resume();
    task_.start();
}

void reminders::stop() {
    task_.ask_to_stop();
    rabbit_.wake();
    if (!task_.stop_within(stop_patience)) rabbit_.interrupt();
    task_.stop();
}

void reminders::remind(milliseconds after) {
    const milliseconds whole = std::max(std::chrono::ceil<seconds>(after), seconds(1));
    {
        const std::lock_guard lock(mutex_);
        auto at = delays_.find(whole);
        if (at == delays_.end() && delays_.size() >= options_.delays_max)
            at = delays_.lower_bound(whole);
        else if (at == delays_.end() && whole <= options_.delay_max)
            at = delays_.emplace(whole, delay{}).first;
        if (at == delays_.end()) {
            ++dropped_;
            return;
        }
        if (std::exchange(at->second.wanted, true)) return;
    }
    rabbit_.wake();
}

reminders::figures reminders::read_figures() const {
    return {.sent = sent_, .due = due_, .dropped = dropped_, .connected = connected_};
}

next_step reminders::step() {
    const auto done = work();
    connected_ = rabbit_.is_open();
    return done ? next_step::at_once() : next_step::not_before(options_.retry_after);
}

result<void> reminders::work() {
    const auto connection = rabbit_.open();
    if (!connection) return connection.error();
    if (const auto done = attach(*connection); !done) return done;
    if (const auto done = send(); !done) return done;
    return hear();
}

result<void> reminders::attach(std::uint64_t connection) {
    if (attached_ == connection) return {};
    declared_.clear();
    const std::string due = name_ + ".due", own = due + "." + random_id();
    if (const auto done = rabbit_.declare_exchange(due, "fanout"); !done) return done;
    const auto made = rabbit_.declare_queue(own, {{"x-max-length", heard_max}},
                                            store::queue_life::with_connection);
    if (!made) return made.error();
    if (const auto done = rabbit_.bind(own, due, ""); !done) return done;
    if (const auto done = rabbit_.consume(own, prefetch); !done) return done;
    attached_ = connection;
    return {};
}

std::string reminders::delay_queue(milliseconds after) const {
    return name_ + ".delay." + std::to_string(after.count());
}

std::vector<milliseconds> reminders::to_send() {
    const auto now = clock_.now();
    const std::lock_guard lock(mutex_);
    std::vector<milliseconds> out;
    for (auto at = delays_.begin(); at != delays_.end();) {
        delay& d = at->second;
        if (d.wanted && now - d.sent >= options_.together) {
            out.push_back(at->first);
            d.wanted = false;
            d.sent = now;
        }
        // If it was unused for so long that its queue is gone, another delay may have its place.
        const bool unused = !d.wanted && now - d.sent > at->first + outlasts;
        at = unused ? delays_.erase(at) : std::next(at);
    }
    return out;
}

result<void> reminders::send() {
    const auto which = to_send();
    std::vector<store::rabbit_message> messages;
    for (const milliseconds after : which) {
        if (const auto done = declare(after); !done) return done;
        messages.push_back({.routing_key = delay_queue(after)});
    }
    if (messages.empty()) return {};
    if (const auto done = rabbit_.publish(messages); !done) {
        dropped_ += messages.size();
        return done;
    }
    sent_ += messages.size();
    return {};
}

result<void> reminders::declare(milliseconds after) {
    const auto now = clock_.now();
    const auto known = declared_.find(after);
    if (known != declared_.end() && now - known->second < declare_every) return {};
    const auto made =
        rabbit_.declare_queue(delay_queue(after), {{"x-queue-type", "quorum"},
                                                   {"x-message-ttl", after.count()},
                                                   {"x-expires", (after + outlasts).count()},
                                                   {"x-dead-letter-exchange", name_ + ".due"}});
    if (!made) return made.error();
    declared_[after] = now;
    return {};
}

// Until a reminder that was held back may be sent.
milliseconds reminders::until_next() {
    const auto now = clock_.now();
    const std::lock_guard lock(mutex_);
    milliseconds wait = listen_for;
    for (const auto& entry : delays_) {
        if (!entry.second.wanted) continue;
        const auto left =
            std::chrono::ceil<milliseconds>(entry.second.sent + options_.together - now);
        wait = std::clamp(left, milliseconds(0), wait);
    }
    return wait;
}

result<void> reminders::hear() {
    const auto got = rabbit_.take(until_next());
    if (!got) return got.error();
    if (got->empty()) return {};
    due_ += got->size();
    on_due_();
    return rabbit_.ack(got->back().tag, true);
}

}  // namespace floodgate::queue
