// The part of catalogue_desk that moves sales between their states.
//
// Opening needs the ledger, which is written first. Closing does not: see catalogue_desk.hpp.

#include "base/log.hpp"
#include "shop/catalogue_desk.hpp"

namespace floodgate::shop {
namespace {

using enum sale::sale_state;

constexpr milliseconds look_every{5000};
constexpr milliseconds follow_again{1000};

// The ledger checks whether a move is possible; this checks that it is the move that was meant.
bool may_close(sale::sale_state from, sale::sale_state to) {
    return to == ended || from == published || from == paused;
}

// Whether asking the ledger again would give the same error.
bool is_final(const boost::system::error_code& why) {
    return why == errc::not_found || why == errc::conflict || why == errc::fenced;
}

const char* closing_action(sale::sale_state to) {
    return to == paused ? "sale.paused" : "sale.ended";
}

boost::json::object state_json(sale::sale_state s) { return {{"state", to_text(s)}}; }

}  // namespace

result<changed_sale> catalogue_desk::publish(sale::sale_id id, const actor& by) {
    return open(id, draft, "sale.published", by);
}

result<changed_sale> catalogue_desk::resume(sale::sale_id id, const actor& by) {
    return open(id, paused, "sale.resumed", by);
}

result<changed_sale> catalogue_desk::pause(sale::sale_id id, const actor& by) {
    return close(id, paused, by);
}

result<changed_sale> catalogue_desk::end(sale::sale_id id, const actor& by) {
    return close(id, ended, by);
}

result<changed_sale> catalogue_desk::open(sale::sale_id id, sale::sale_state from,
                                          const char* action, const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    return open_now(id, from, action, by);
}

result<changed_sale> catalogue_desk::open_now(sale::sale_id id, sale::sale_state from,
                                              const char* action, const actor& by) {
    const auto old = find(id);
    if (!old) return old.error();
    const sale::sale_state before = brake_.state_of(*old);
    if (before != published && before != from) return errc::conflict;
    const act made{action, subject_of("sale", id.value), state_json(before), state_json(published)};
    if (const auto set = through(by).set_sale_state(id, published, line(by, made)); !set)
        return set.error();
    brake_.drop(id);
    const auto gate = why_not(tell_gate(id), made.subject);
    conclude(by, made.action, made.subject);
    sale::sale s = *old;
    s.state = published;
    return changed_sale{s, gate};
}

// The gate is closed before the lock is taken, because its holder may be waiting for the ledger.
result<changed_sale> catalogue_desk::close(sale::sale_id id, sale::sale_state to, const actor& by) {
    const closing what{.to = to, .by = by, .at = clock_.now()};
    const auto at_once = brake_.close_at_once(id, what);
    result<void> closed = at_once.value_or(result<void>());
    const std::lock_guard lock(one_at_a_time_);
    // Either the ledger must be asked first, or an earlier holder of the lock resumed the sale.
    if (!at_once || !brake_.pending(id)) {
        const auto s = find(id);
        if (!s) return s.error();
        if (!may_close(brake_.state_of(*s), to)) return errc::conflict;
        closed = brake_.close(*s, what);
    }
    auto done = follow(id);
    if (done && !closed && brake_.pending(id)) done->gate = closed.error();
    return done;
}

// Writes the ledger after the gate was closed or could not be told.
result<changed_sale> catalogue_desk::follow(sale::sale_id id) {
    const auto p = brake_.pending(id);
    if (!p) return errc::not_found;
    const auto s = find(id);
    if (!s && is_final(s.error())) {
        brake_.drop(id);
        return s.error();
    }
    if (!s) return wait_for_book(*p);
    const bool overtaken = p->written ? s->state != p->what.to : !may_close(s->state, p->what.to);
    if (overtaken) return give_up(*s, errc::conflict);
    const auto set = through(p->what.by).set_sale_state(id, p->what.to, line_of(*p, *s));
    if (!set && is_final(set.error())) return give_up(*s, set.error());
    if (!set) return wait_for_book(*p);
    return finish(*p, *s);
}

changed_sale catalogue_desk::wait_for_book(const pending_closing& p) {
    brake_.postpone(p.sale.id, clock_.now());
    if (p.tries == 0)
        log::error("shop.closing_delayed", "sale", p.sale.id.value, "state", to_text(p.what.to),
                   "why", "the gate is closed; the ledger cannot be written now");
    changed_sale out{.sale = p.sale, .book_pending = !p.written};
    out.sale.state = p.what.to;
    return out;
}

// The ledger refuses the closing for good, so the gate gets the ledger's state.
boost::system::error_code catalogue_desk::give_up(const sale::sale& s,
                                                  const boost::system::error_code& why) {
    brake_.drop(s.id);
    (void)why_not(brake_.tell(s), subject_of("sale", s.id.value));
    return why;
}

// The audit line of a closing. None if Floodgate itself pauses a sale that is paused, or if the
// ledger has the state already and with it the line: from an earlier try whose answer was lost, or
// from another node.
ledger::audit_note catalogue_desk::line_of(const pending_closing& p, const sale::sale& in_book) {
    const bool worth_a_line = p.what.by.who.value != 0 || p.sale.state != p.what.to;
    const bool done_before = p.written || (p.tries > 0 && in_book.state == p.what.to);
    if (done_before || !worth_a_line) return std::nullopt;
    return line_for({p.what.by.who, p.what.by.address, p.what.at},
                    {closing_action(p.what.to), subject_of("sale", p.sale.id.value),
                     state_json(p.sale.state), state_json(p.what.to), p.what.by.why});
}

changed_sale catalogue_desk::finish(const pending_closing& p, const sale::sale& before) {
    const sale::sale_id id = before.id;
    const auto read = find(id);
    sale::sale s = before;
    s.state = p.what.to;
    ++s.revision;  // used if the sale cannot be read: the revision after our own change
    if (read) s = *read;
    const std::string subject = subject_of("sale", id.value);
    const auto gate = why_not(brake_.finish(s, p.what.to, clock_.now()), subject);
    if (!p.written) self_.catalogue_changed();
    if (line_of(p, before)) log_act(p.what.by.who, closing_action(p.what.to), subject);
    if (p.tries > 0)
        log::info("shop.closing_followed", "sale", id.value, "state", to_text(p.what.to), "tries",
                  p.tries);
    return {s, gate};
}

void catalogue_desk::follow_stock(sale::sale_id id) {
    const std::lock_guard lock(stocks_mutex_);
    stocks_.insert(id);
}

// A gate that still holds withdrawn units, because it could not be told of their release yet, does
// not take the smaller stock (conflict). It is told again later.
void catalogue_desk::follow_stocks(instant now) {
    std::set<sale::sale_id> changed;
    {
        const std::lock_guard lock(stocks_mutex_);
        if (stocks_.empty() || now < next_stocks_) return;
        changed.swap(stocks_);
    }
    for (const sale::sale_id id : changed) {
        const std::lock_guard lock(one_at_a_time_);
        const auto told = tell_gate(id);
        if (told || told.error() == errc::not_found) continue;
        next_stocks_ = now + follow_again;
        follow_stock(id);
    }
    self_.catalogue_changed();
}

void catalogue_desk::step() {
    const instant now = clock_.now();
    follow_stocks(now);
    for (const sale::sale_id id : brake_.due(now)) {
        const std::lock_guard lock(one_at_a_time_);
        const auto p = brake_.pending(id);
        if (!p) continue;
        // Close it again: in a cluster, another node or a rebuild may have loaded the ledger's
        // state.
        if (!p->written) (void)brake_.close(p->sale, p->what).has_value();
        const auto done = follow(id);
        if (done && done->book_pending) return;  // the others would fail at the same ledger
    }
    if (now < next_look_) return;
    next_look_ = now + look_every;
    (void)sales().has_value();  // so that the brake knows every sale
}

}  // namespace floodgate::shop
