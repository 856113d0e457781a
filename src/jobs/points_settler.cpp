#include "jobs/points_settler.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "sale/order_number.hpp"
#include "shop/points_channel.hpp"

namespace floodgate::jobs {

using points::kind;
using sale::order_state;

bool points_settler::step() {
    const instant before = world_.clock.now() - options_.settle_after;
    const auto tries = world_.accounts.open_tries(kind::spend, before, options_.at_once);
    if (tries.has_error()) {
        trouble_.failed(tries.error().message());
        return false;
    }
    const points_figures was = read_figures();
    for (const points::open_try& t : *tries) {
        if (const auto done = settle(t); done.has_error()) {
            trouble_.failed(done.error().message());
            return false;
        }
    }
    trouble_.succeeded();
    const std::lock_guard lock(mutex_);
    const std::uint64_t settled =
        figures_.confirmed + figures_.cancelled - was.confirmed - was.cancelled;
    figures_.open = tries->size() - settled;
    // Without `settled` a page of tries that are left alone would be read again and again.
    return tries->size() == options_.at_once && settled > 0;
}

result<void> points_settler::settle(const points::open_try& t) {
    const auto v = judge(t);
    if (v.has_error()) return v.error();
    return apply(t, *v);
}

result<points_settler::verdict> points_settler::judge(const points::open_try& t) {
    const auto found = world_.moves.find(t.order);
    if (found.has_error() && found.error() == make_error_code(errc::not_found))
        return judge_stray(t, "no such order");
    if (found.has_error()) return found.error();
    switch (found->order.state) {
    case order_state::closed:
    case order_state::failed:
    case order_state::refunded: return verdict::cancel;
    case order_state::paid:
    case order_state::refunding:
        return found->paid_with == shop::points_channel::name
                   ? verdict::confirm
                   : judge_stray(t, "paid with another method");
    case order_state::unpaid:
    case order_state::queued: break;
    }
    if (!found->order.closing.empty()) return verdict::leave;
    if (std::ranges::count(found->methods, shop::points_channel::name) == 0)
        return judge_stray(t, "not begun with points");
    const auto paid = world_.checkout.take_reserved(t.order, shop::points_channel::name);
    if (paid.has_error()) return paid.error();
    return paid->step == shop::checkout_step::done ? verdict::confirm : verdict::leave;
}

points_settler::verdict points_settler::judge_stray(const points::open_try& t, const char* why) {
    if (t.since + options_.stray_after > world_.clock.now()) return verdict::leave;
    log::warning("jobs.points_stray", "order", sale::to_text(t.order), "user", t.user.value,
                 "points", t.amount.value, "why", why);
    return verdict::cancel;
}

result<void> points_settler::apply(const points::open_try& t, verdict v) {
    if (v == verdict::leave) return {};
    const bool take = v == verdict::confirm;
    const instant now = world_.clock.now();
    const auto done = take ? world_.accounts.confirm(t.order, kind::spend, now)
                           : world_.accounts.cancel(t.order, kind::spend, now);
    if (done) {
        count(take ? &points_figures::confirmed : &points_figures::cancelled);
        return {};
    }
    // Settled the other way since it was listed: the next look at both sides tells more.
    if (done.error() != make_error_code(errc::conflict)) return done;
    log::error("jobs.points_disagree", "order", sale::to_text(t.order), "ledger",
               take ? "paid" : "given up");
    return {};
}

void points_settler::count(std::uint64_t points_figures::*what) {
    const std::lock_guard lock(mutex_);
    ++(figures_.*what);
}

points_figures points_settler::read_figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
}

}  // namespace floodgate::jobs
