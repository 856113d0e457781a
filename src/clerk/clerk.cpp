#include "clerk/clerk.hpp"

#include <thread>

#include "base/log.hpp"

namespace floodgate::clerk {
namespace {

constexpr milliseconds oversee_every{100};
constexpr milliseconds look_again{20};  // the pause before asking again whether the rush is over

options under_ceiling(options o) {
    if (o.ceiling) o.batch_max = std::min(o.batch_max, o.ceiling->batch_max());
    return o;
}

}  // namespace

result<ledger::entry_report> clerk::patient_sink::enter(std::span<const sale::promise> batch,
                                                        sale::sequence last) {
    priority_.lower();
    result<ledger::entry_report> report = inner_.enter(batch, last);
    priority_.restore();
    return report;
}

clerk::clerk(const desk::world& w, const options& o, sale::sequence entered, fatal_handler on_fatal)
    : options_(under_ceiling(o)),
      on_fatal_(std::move(on_fatal)),
      sink_(w.sink, priority_),
      desk_({w.source, sink_, w.turnstile, w.clock, w.node}, options_, entered),
      line_(w.source),
      rush_(o.rush_per_s),
      worker_(
          "clerk", o.poll, [this] { return work(); }, [this] { drain(); }),
      overseer_("clerk overseer", oversee_every, [this] { oversee(); }) {}

clerk::~clerk() { stop(); }

void clerk::start() {
    worker_.start();
    overseer_.start();
}

void clerk::stop() {
    worker_.ask_to_stop();
    overseer_.stop();
    priority_.allow(false);
    worker_.stop();
}

next_step clerk::work() {
    if (!std::exchange(adopted_, true)) priority_.adopt();
    if (stands_aside()) return next_step::not_before(look_again);
    if (const milliseconds wait = ceiling_wait(); wait > milliseconds(0))
        return next_step::not_before(wait);
    // An exception has left the desk somewhere between two places of the line. Only a new clerk,
    // which begins at the ledger's position, may go on.
    try {
        return enter_some();
    } catch (const std::exception& e) {
        return end_with(e.what());
    }
}

bool clerk::stands_aside() {
    const bool rush = rush_.look(line_.durable().value, machine_time.now());
    if (!rush) return false;
    desk_.note_oldest();
    pressed_ = pressing(pressed_, {.backlog = desk_.backlog(), .oldest_age = desk_.oldest_age()},
                        options_);
    return !pressed_;
}

milliseconds clerk::ceiling_wait() const {
    return options_.ceiling ? options_.ceiling->wait(machine_time.now()) : milliseconds(0);
}

outcome clerk::step() {
    const sale::sequence before = desk_.position();
    const outcome done = desk_.step();
    if (options_.ceiling)
        options_.ceiling->note(desk_.position().value - before.value, machine_time.now());
    return done;
}

next_step clerk::enter_some() {
    switch (step()) {
    case outcome::nothing: return next_step::after(options_.poll);
    case outcome::part:
        // More promises have come meanwhile, so a rush is on: one large batch costs less than two.
        return desk_.backlog() > 0 ? next_step::not_before(options_.linger) : next_step::at_once();
    case outcome::full: return next_step::at_once();
    case outcome::failed: return next_step::not_before(retry_after(desk_.failures(), options_));
    case outcome::corrupt: break;
    }
    return end_with(desk_.failure());
}

next_step clerk::end_with(const std::string& reason) {
    if (on_fatal_) on_fatal_(reason);
    return next_step::never();
}

void clerk::drain() {
    // Do not wait for an unreachable ledger here; the remaining promises are entered after the next
    // start.
    if (desk_.failures() > 0) {
        log::info("clerk.stopped", "position", position().value, "left", desk_.backlog());
        return;
    }
    const auto deadline = machine_time.now() + options_.drain;
    for (;;) {
        std::this_thread::sleep_for(ceiling_wait());
        const outcome o = step();
        if (o == outcome::nothing || o == outcome::corrupt) break;
        if (machine_time.now() >= deadline) break;
        if (o == outcome::failed)
            std::this_thread::sleep_for(retry_after(desk_.failures(), options_));
    }
    log::info("clerk.stopped", "position", position().value, "left", desk_.backlog());
}

void clerk::oversee() {
    const workload load{granted_, desk_.backlog(), desk_.oldest_age()};
    const priority next = priority_for(load, options_);
    // On a busy machine a worker of low priority may not get the core for seconds. Payments,
    // log-ins and admins must not wait that long for the writer's connection, which it holds.
    priority_.allow(next == priority::low && !sink_.holds_others_up());
    if (next == granted_) return;
    granted_ = next;
    log::info(next == priority::low ? "clerk.demoted" : "clerk.promoted", "backlog", load.backlog,
              "oldest_ms", load.oldest_age.count());
}

}  // namespace floodgate::clerk
