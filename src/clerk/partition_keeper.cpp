#include "clerk/partition_keeper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"

namespace floodgate::clerk {
namespace {

constexpr milliseconds look_every{200};  // while serving, between looks whether the gate agrees
constexpr milliseconds try_again{250};   // after Redis or the ledger failed
constexpr milliseconds let_go_within{5000};
constexpr std::size_t drain_batch = 5000;  // promises

// Counts go on over several clerks; the other figures are those of the present clerk.
figures added(const figures& before, figures now) {
    now.entered += before.entered;
    now.refused += before.refused;
    now.put_aside += before.put_aside;
    now.batches += before.batches;
    return now;
}

options for_a_lease(options o) {
    o.drain = milliseconds(0);  // the next node enters what is left
    return o;
}

}  // namespace

struct partition_keeper::shift {
    shift(const world& w, sale::line_id line, const options& o, fatal_handler on_fatal,
          sale::sequence from)
        : queue(w.open_queue()),
          sink(w.book, line, w.clock),
          worker({*queue, sink, w.gate, w.clock, w.node}, o, from, std::move(on_fatal)) {
        queue->start(from, [this] { worker.notify(); });
        worker.start();
    }
    // Stops the clerk first, so that everything it has entered is still acknowledged.
    ~shift() {
        worker.stop();
        queue->stop();
    }
    shift(const shift&) = delete;
    shift& operator=(const shift&) = delete;

    std::unique_ptr<queue::promise_queue> queue;
    ledger_sink sink;
    floodgate::clerk::clerk worker;
};

partition_keeper::partition_keeper(world w, sale::partition p, const options& o)
    : world_(std::move(w)),
      settlement_(world_.gate, [&node = world_.node](auto news) { node.tell(news); }),
      partition_(p),
      line_(sale::line_of(p)),
      options_(for_a_lease(o)),
      trouble_(log::level::error, "clerk.partition", "partition", p.number),
      task_(fmt::format("keeper {}", p.number), try_again, [this] { return step(); }) {
    task_.start();
}

partition_keeper::~partition_keeper() {
    {
        const std::lock_guard lock(mutex_);
        wanted_ = false;
    }
    changed_.notify_all();
    task_.stop();
}

void partition_keeper::take_over() {
    {
        const std::lock_guard lock(mutex_);
        wanted_ = true;
    }
    task_.wake();
}

void partition_keeper::let_go() {
    std::unique_lock lock(mutex_);
    wanted_ = false;
    changed_.notify_all();
    changed_.wait_for(lock, let_go_within, [this] { return !working_; });
}

bool partition_keeper::is_wanted() const {
    const std::lock_guard lock(mutex_);
    return wanted_;
}

void partition_keeper::rest(milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return !wanted_ || broken_; });
}

keeper_figures partition_keeper::read_figures() const {
    const std::lock_guard lock(mutex_);
    keeper_figures f = figures_;
    f.holds = wanted_;
    f.serving = shift_ != nullptr;
    if (shift_) f.clerk = added(figures_.clerk, shift_->worker.read_figures());
    return f;
}

next_step partition_keeper::step() {
    std::shared_ptr<shift> left_over;  // of a step that threw; two clerks must not share the line
    bool wanted = false;
    {
        const std::lock_guard lock(mutex_);
        left_over = std::exchange(shift_, nullptr);
        working_ = wanted = wanted_;
    }
    changed_.notify_all();
    left_over.reset();
    if (!wanted) return next_step::when_woken();
    work();
    return next_step::at_once();
}

void partition_keeper::work() {
    while (is_wanted()) {
        const finding found = examine(true);
        if (found == finding::unknown || (found == finding::differs && !rebuild())) {
            rest(try_again);
            continue;
        }
        trouble_.succeeded();
        serve();
    }
}

// Compares the gate's place with the ledger's. A gate that was just taken over must have
// acknowledged exactly what the ledger has entered. Otherwise a Redis that went back to an older
// state could have made new promises at places below the ledger's, where they would be overlooked.
partition_keeper::finding partition_keeper::examine(bool taking_over) {
    const auto position = world_.book.orders().position(line_);  // first: the gate is ahead of it
    const auto gate = world_.gate.state_of(partition_);
    if (!gate || !position) {
        trouble_.failed(gate ? position.error().message() : gate.error().message());
        return finding::unknown;
    }
    const sale::line_place at = sale::to_place(*position);
    if (gate->epoch == 0 || !gate->open || gate->epoch != at.epoch) return finding::differs;
    const bool agrees = taking_over ? gate->entered == at.number : gate->appended >= at.number;
    return agrees ? finding::agrees : finding::differs;
}

bool partition_keeper::rebuild() {
    const auto begun = std::chrono::steady_clock::now();
    const auto gate = world_.gate.state_of(partition_);
    const auto epoch = gate ? world_.book.orders().raise_epoch(line_, gate->epoch)
                            : result<std::uint64_t>(gate.error());
    const auto built = epoch ? build_up(*epoch) : result<void>(epoch.error());
    if (!built) {
        trouble_.failed("it cannot be rebuilt: " + built.error().message());
        return false;
    }
    const auto took =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);
    log::warning("clerk.gate_rebuilt", "partition", partition_.number, "epoch", *epoch, "took_ms",
                 took.count());
    const std::lock_guard lock(mutex_);
    figures_.epoch = *epoch;
    ++figures_.rebuilds;
    figures_.last_rebuild = took;
    return true;
}

result<void> partition_keeper::build_up(std::uint64_t epoch) {
    if (auto closed = world_.gate.begin(partition_, epoch); !closed) return closed;
    if (auto drained = drain_line(); !drained) return drained;
    if (auto loaded = load_sales(epoch); !loaded) return loaded;
    return world_.gate.open(partition_, epoch);
}

result<void> partition_keeper::drain_line() {
    const auto line = world_.open_queue();
    std::size_t count = 0;
    while (is_wanted()) {
        const auto found = line->left_behind(drain_batch);
        if (!found) return found.error();
        if (found->empty()) {
            if (count > 0)
                log::info("clerk.partition_drained", "partition", partition_.number, "promises",
                          count);
            return {};
        }
        if (auto entered = enter_strays(*found); !entered) return entered;
        if (auto forgotten = line->forget(); !forgotten) return forgotten;
        count += found->size();
    }
    return make_error_code(errc::fenced);
}

result<void> partition_keeper::enter_strays(std::span<const sale::promise> found) {
    auto report = world_.book.orders().enter_strays(found, world_.clock.now());
    if (!report && report.error() == errc::rejected) return enter_each(found);
    if (!report) return report.error();
    tell(std::move(*report));
    return {};
}

// The ledger refuses one of these promises. That one is put aside.
result<void> partition_keeper::enter_each(std::span<const sale::promise> found) {
    for (const sale::promise& p : found) {
        const instant now = world_.clock.now();
        auto report = world_.book.orders().enter_strays({&p, 1}, now);
        if (report) {
            tell(std::move(*report));
            continue;
        }
        if (report.error() != errc::rejected) return report.error();
        const sale::line_id line = sale::strays_line_of(partition_);
        const auto place = world_.book.orders().position(line);
        if (!place) return place.error();
        const auto aside = world_.book.letters().put_aside(
            p, {sale::sequence{place->value + 1}, line},
            {.cause = report.error().message(), .permanent = true, .next_try = now, .now = now});
        if (!aside) return aside.error();
    }
    return {};
}

// Known promises are left out, because they were told when they were entered.
void partition_keeper::tell(ledger::entry_report report) {
    settlement_.settle(sale::news_of(std::move(report.orders)));
}

result<void> partition_keeper::load_sales(std::uint64_t epoch) {
    shop::gate_loader loader(world_.book, world_.memory);
    shop::partition_target target(world_.gate, partition_, epoch);
    const auto sales = world_.book.catalogue().sales();
    if (!sales) return sales.error();
    for (const sale::sale& s : *sales) {
        if (sale::partition_of(s.id, world_.partitions) != partition_) continue;
        const auto needed = loader.needs(s, world_.clock.now());
        if (!needed) return needed.error();
        if (!*needed) continue;
        if (auto loaded = loader.load(s, target, world_.clock.now()); !loaded)
            return loaded.error();
    }
    return {};
}

// Runs until something is wrong or the lease is lost.
void partition_keeper::serve() {
    const auto position = world_.book.orders().position(line_);
    if (!position) return;
    broken_ = false;
    const auto note_broken = [this](const std::string& why) {
        log::error("clerk.line_broken", "partition", partition_.number, "reason", why);
        broken_ = true;
        changed_.notify_all();
    };
    auto now_on = std::make_shared<shift>(world_, line_, options_, note_broken, *position);
    {
        const std::lock_guard lock(mutex_);
        figures_.epoch = sale::to_place(*position).epoch;
        shift_ = now_on;
    }
    log::info("clerk.partition_served", "partition", partition_.number, "epoch", figures_.epoch);
    while (is_wanted() && !broken_ && examine(false) != finding::differs) rest(look_every);
    {
        const std::lock_guard lock(mutex_);
        figures_.clerk = added(figures_.clerk, now_on->worker.read_figures());
        figures_.clerk.backlog = 0;
        figures_.clerk.lag = milliseconds(0);
        figures_.clerk.failing_since = never;
        shift_.reset();
    }
    now_on.reset();
    log::info("clerk.partition_left", "partition", partition_.number);
}

}  // namespace floodgate::clerk
