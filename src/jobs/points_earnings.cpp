#include "jobs/points_earnings.hpp"

#include "base/backoff.hpp"
#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::jobs {
namespace {

using ledger::due_earning;
using ledger::earning;
using ledger::earning_change;
using ledger::earning_state;
using points::kind;
using sale::order_state;

// An earning that is settled is never due, so its time means nothing.
earning_change settled(const earning& e, earning_state as) { return {e, as, e.due}; }

bool is(const boost::system::error_code& e, errc code) { return e == make_error_code(code); }

// The store, and not this one earning, is what fails.
bool is_of_the_store(const boost::system::error_code& e) {
    return is(e, errc::store_unavailable) || is(e, errc::overloaded) || is(e, errc::fenced);
}

}  // namespace

bool points_earnings::step() {
    const instant now = world_.clock.now();
    if (now < resume_at_) return false;
    const auto changed = advance_all(now);
    if (changed.has_error()) {
        pause(changed.error().message(), now);
        return false;
    }
    trouble_.succeeded();
    if (now >= next_count_) count(now);
    return *changed == options_.at_once;
}

// What was done at the accounts is written to the ledger also when the next one fails.
result<std::size_t> points_earnings::advance_all(instant now) {
    const auto due = world_.earnings.due(now, options_.at_once);
    if (due.has_error()) return due.error();
    std::vector<earning_change> changes;
    boost::system::error_code failure;
    for (const due_earning& e : *due) {
        const auto change = advance(e, now);
        if (change.has_error()) {
            failure = change.error();
            break;
        }
        changes.push_back(*change);
    }
    const auto changed = world_.earnings.change(changes);
    if (failure) return failure;
    return changed;
}

points_earnings::act points_earnings::act_for(const due_earning& e) {
    const bool owed = e.state == earning_state::owed;
    if (e.order_is == order_state::paid) return owed ? act::promise : act::give;
    if (e.order_is == order_state::refunding) return owed ? act::promise : act::wait;
    return e.order_is == order_state::refunded ? act::give_up : act::puzzle;
}

result<earning_change> points_earnings::advance(const due_earning& e, instant now) {
    switch (act_for(e)) {
    case act::promise: return promise(e, now);
    case act::give: return give(e, now);
    case act::give_up: return give_up(e, now);
    case act::wait: return earning_change{e, e.state, now + options_.look_again_after};
    case act::puzzle: break;
    }
    return set_aside(e, "its order is not paid", now);
}

result<earning_change> points_earnings::promise(const earning& e, instant now) {
    const auto tried = world_.accounts.try_earn(e.order, e.buyer, e.amount, now);
    if (tried.has_error() && is(tried.error(), errc::conflict)) {
        log::warning("jobs.points_not_earned", "order", sale::to_text(e.order), "user",
                     e.buyer.value, "points", e.amount.value, "why", "the account is full");
        return give_up(e, now);
    }
    if (tried.has_error()) return after(e, tried.error(), now);
    if (tried->answer == points::try_answer::cancelled_before)
        return settled(e, earning_state::gone);
    return earning_change{e, earning_state::promised,
                          e.paid_at + options_.refund_within + options_.give_after};
}

result<earning_change> points_earnings::give(const earning& e, instant now) {
    const auto given = world_.accounts.confirm(e.order, kind::earn, now);
    if (given) return settled(e, earning_state::given);
    if (is(given.error(), errc::conflict)) return settled(e, earning_state::gone);
    if (!is(given.error(), errc::not_found)) return after(e, given.error(), now);
    // The accounts were restored from a backup.
    log::warning("jobs.points_promise_lost", "order", sale::to_text(e.order), "user", e.buyer.value,
                 "points", e.amount.value);
    return earning_change{e, earning_state::owed, now};
}

// Points that the buyer has already stay there: an earlier step may have ended after it gave them.
result<earning_change> points_earnings::give_up(const earning& e, instant now) {
    const auto cancelled = world_.accounts.cancel(e.order, kind::earn, now);
    if (cancelled) return settled(e, earning_state::gone);
    if (is(cancelled.error(), errc::conflict)) return settled(e, earning_state::given);
    return after(e, cancelled.error(), now);
}

result<earning_change> points_earnings::after(const earning& e,
                                              const boost::system::error_code& error, instant now) {
    if (is_of_the_store(error)) return error;
    return set_aside(e, error.message(), now);
}

// So that it does not hold up the others.
earning_change points_earnings::set_aside(const earning& e, const std::string& why, instant now) {
    log::error("jobs.points_earning_stuck", "order", sale::to_text(e.order), "user", e.buyer.value,
               "points", e.amount.value, "why", why);
    return {e, e.state, now + options_.stuck_for};
}

void points_earnings::pause(const std::string& why, instant now) {
    trouble_.failed(why);
    resume_at_ =
        now + backoff{options_.pause_first, options_.pause_last}.after(trouble_.failures());
}

void points_earnings::count(instant now) {
    const auto counted = world_.earnings.count();
    if (counted.has_error()) return;  // the next step says that the ledger fails
    next_count_ = now + options_.count_every;
    const std::lock_guard lock(mutex_);
    figures_ = *counted;
}

ledger::earning_counts points_earnings::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace floodgate::jobs
