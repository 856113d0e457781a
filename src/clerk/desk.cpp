#include "clerk/desk.hpp"

#include <algorithm>
#include <cassert>

#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::clerk {

desk::desk(world w, std::size_t batch_max, sale::sequence entered,
           std::function<void(const entered_batch&)> told)
    : world_(w), batch_max_(batch_max), told_(std::move(told)), position_(entered.value) {
    assert(batch_max_ > 0);
    batch_.reserve(batch_max_);
}

outcome desk::step() {
    if (batch_.empty()) {
        if (const auto ended = gather()) return *ended;
    }
    return book();
}

void desk::note_oldest() {
    if (oldest_ms_ != 0 || backlog() == 0) return;
    std::vector<sale::promise> first;
    if (const auto got = world_.source.read(position(), 1, first); got && !first.empty())
        oldest_ms_ = to_ms(first.front().at);
}

// Nothing: there is a batch in hand.
std::optional<outcome> desk::gather() {
    if (world_.source.durable() <= position()) {
        recover();  // nothing is left that could fail
        oldest_ms_ = 0;
        return outcome::nothing;
    }
    const result<void> got = world_.source.read(position(), batch_max_, batch_);
    if (got.has_error()) {
        batch_.clear();
        const outcome failed = fail("journal", got.error());
        return got.error() == errc::corrupt ? outcome::corrupt : failed;
    }
    assert(batch_.size() <= batch_max_);
    if (batch_.empty()) return outcome::nothing;
    oldest_ms_ = to_ms(batch_.front().at);
    return std::nullopt;
}

outcome desk::book() {
    const instant begun = world_.clock.now();
    const sale::sequence last{position().value + batch_.size()};
    const result<ledger::entry_report> report = world_.sink.enter(batch_, last);
    if (report.has_error()) return fail("ledger", report.error());

    recover();
    position_ = last.value;
    settle(*report);
    count(*report, begun);
    if (told_) told_({batch_, report->refused});

    // What waits next came after the last of these.
    oldest_ms_ = backlog() > 0 ? to_ms(batch_.back().at) : 0;
    const bool full = batch_.size() == batch_max_;
    batch_.clear();
    return full ? outcome::full : outcome::part;
}

void desk::settle(const ledger::entry_report& report) {
    for (const ledger::refusal& r : report.refused) {
        world_.turnstile.release(r.promise.sale, r.promise.buyer, r.promise.order);
    }
    if (!report.refused.empty()) {  // one line a batch; the ledger has every one as a failed order
        const ledger::refusal& first = report.refused.front();
        log::warning("clerk.refused", "orders", report.refused.size(), "first_order",
                     sale::to_text(first.promise.order), "first_sale", first.promise.sale.value,
                     "first_reason", first.reason);
    }
    world_.source.entered(position());
}

// Logged when it begins and when it ends, not for every try.
outcome desk::fail(const char* where, boost::system::error_code error) {
    last_failure_ = std::string(where) + ": " + error.message();
    if (++failures_ == 1) {
        const std::lock_guard lock(mutex_);
        figures_.failing_since = world_.clock.now();
        log::error("clerk.stalled", "where", where, "reason", error.message(), "position",
                   position().value);
    }
    return outcome::failed;
}

void desk::recover() {
    if (failures_ == 0) return;
    const std::lock_guard lock(mutex_);
    log::info("clerk.resumed", "failures", failures_, "after_ms",
              (world_.clock.now() - figures_.failing_since).count());
    figures_.failing_since = never;
    failures_ = 0;
}

void desk::count(const ledger::entry_report& report, instant begun) {
    const std::lock_guard lock(mutex_);
    figures_.entered += batch_.size() - report.refused.size();
    figures_.refused += report.refused.size();
    ++figures_.batches;
    figures_.last_batch = batch_.size();
    figures_.last_batch_took = std::max(milliseconds(0), world_.clock.now() - begun);
}

std::uint64_t desk::backlog() const {
    const std::uint64_t entered = position().value;
    const std::uint64_t durable = world_.source.durable().value;
    return durable > entered ? durable - entered : 0;
}

milliseconds desk::oldest_age() const {
    const std::int64_t oldest = oldest_ms_;
    if (oldest == 0) return milliseconds(0);
    return std::max(milliseconds(0), world_.clock.now() - from_ms(oldest));
}

figures desk::read_figures() const {
    figures f;
    {
        const std::lock_guard lock(mutex_);
        f = figures_;
    }
    f.backlog = backlog();
    f.lag = oldest_age();
    return f;
}

}  // namespace floodgate::clerk
