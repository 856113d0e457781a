#include "jobs/letter_retry.hpp"

#include <fmt/format.h>

#include "sale/order_number.hpp"

namespace floodgate::jobs {
namespace {

// An operator was faster: nothing is left to do.
bool was_decided(boost::system::error_code e) {
    return e == errc::conflict || e == errc::not_found;
}

}  // namespace

bool letter_retry::step() {
    const auto due = world_.book.letters().due(world_.clock.now(), at_once_);
    if (due.has_error()) {
        trouble_.failed(due.error().message());
        return false;
    }
    for (const ledger::letter& l : *due) {
        const result<void> done = retry(l);
        if (done.has_error()) {
            trouble_.failed(done.error().message());
            return false;
        }
    }
    trouble_.succeeded();
    return due->size() == at_once_;
}

// An error means that the ledger is unreachable, so trying the other letters makes no sense.
result<void> letter_retry::retry(const ledger::letter& l) {
    const auto report = world_.desk.replay(l.id, {.book = &world_.book});
    if (report.has_value()) {
        count(&letter_retry_figures::retried);
        count(&letter_retry_figures::revived);
        log::info("jobs.letter_revived", "letter", l.id, "order", sale::to_text(l.promise.order),
                  "attempts", l.attempts);
        return {};
    }
    const auto why = report.error();
    if (was_decided(why)) return {};
    if (why == errc::corrupt) return why;
    return set_back(l, why);
}

result<void> letter_retry::set_back(const ledger::letter& l, boost::system::error_code why) {
    const instant now = world_.clock.now();
    const auto next =
        why == errc::store_unavailable ? retries_.next_try(l.attempts + 1, now) : std::nullopt;
    const auto noted =
        world_.book.letters().set_back(l.id, {why.message(), !next, next.value_or(now), now});
    if (noted.has_error()) return was_decided(noted.error()) ? result<void>{} : noted;
    count(&letter_retry_figures::retried);
    if (next) return {};
    count(&letter_retry_figures::died);
    log::error("jobs.letter_died", "letter", l.id, "order", sale::to_text(l.promise.order),
               "attempts", l.attempts + 1, "reason", why.message());
    return {};
}

void letter_retry::watch() {
    const auto counts = world_.book.letters().count();
    if (counts.has_error()) return watching_.failed(counts.error().message());
    watching_.succeeded();
    world_.alarms.set(counts->dead > 0, alarm::kind::dead_letters, "letters",
                      fmt::format("{} promises could not be entered", counts->dead),
                      world_.clock.now());
}

void letter_retry::count(std::uint64_t letter_retry_figures::*what) {
    const std::lock_guard lock(mutex_);
    ++(figures_.*what);
}

letter_retry_figures letter_retry::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace floodgate::jobs
