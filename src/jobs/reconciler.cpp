#include "jobs/reconciler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/log.hpp"

namespace floodgate::jobs {
namespace {

constexpr milliseconds long_look{50};
constexpr int rest_share = 20;         // long looks take at most a twentieth of a core here
constexpr int rest_share_waiting = 4;  // and at most a fifth of one on a database server

milliseconds worked_so_far() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::duration_cast<milliseconds>(std::chrono::seconds(used.tv_sec) +
                                                    std::chrono::nanoseconds(used.tv_nsec));
}

std::string subject_of(sale::sale_id id) { return fmt::format("sale {}", id.value); }

}  // namespace

milliseconds rest_after(milliseconds worked, milliseconds took) {
    if (worked > long_look) return worked * rest_share;
    return took > long_look ? took * rest_share_waiting : milliseconds(0);
}

result<void> reconciler::step(instant now) {
    const std::scoped_lock one_look(look_mutex_);
    const auto begun = std::chrono::steady_clock::now();
    const milliseconds worked_before = worked_so_far();
    // The catalogue desk is at this sale, between gate and book, for as long as the disk is slow.
    const sale::sale_id changing = world_.catalogue.changing_stock();
    const standings before = look_at_gate(known_);
    const auto book = world_.orders.book.tallies().take();
    if (!book) return book.error();

    std::vector<sale::sale_id> ids;
    for (const ledger::sale_tally& t : book->sales) ids.push_back(t.sale);
    const standings after = look_at_gate(ids);
    const std::uint64_t not_entered = world_.orders.between.count(*book);
    known_ = std::move(ids);

    sale::reconciliation seen{.at = now};
    for (const ledger::sale_tally& t : book->sales) {
        std::optional<shop::gate_views> gate;
        const auto first = before.find(t.sale), second = after.find(t.sale);
        if (first != before.end() && second != after.end())
            gate = shop::gate_views{first->second, second->second};
        balance_check w = shop::check_balance(t, gate, not_entered);
        // A change of stock that hangs between gate and book is no breach, and no agreement either.
        if (w.what != shop::mismatch::stock || t.sale != changing) judge(w, now);
        seen.sales.push_back(std::move(w.balance));
    }
    const auto took =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begun);
    world_.desk.publish(std::move(seen));
    rest_ = rest_after(worked_so_far() - worked_before, took);
    return {};
}

reconciler::standings reconciler::look_at_gate(const std::vector<sale::sale_id>& ids) {
    const auto found = world_.orders.turnstile.look_up_all(ids);
    standings out;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (found[i]) out.emplace(ids[i], *found[i]);
    return out;
}

void reconciler::judge(balance_check& w, instant now) {
    record& r = records_[w.balance.sale];
    const bool before = r.seen.breached();
    r.seen.look(w, now);
    if (r.seen.breached() && rebuilds_gate(w, r)) {
        r = {};
    } else if (r.seen.breached()) {
        if (!before) declare(w, r, now);
        if (!r.paused) pause(w, r);
        w.balance.differences = r.differences;
        w.balance.wrong_since = r.seen.since();
    } else if (before) {
        r = {.seen = r.seen};
        log::info("jobs.reconciliation_agrees", "sale", w.balance.sale.value);
        world_.board.clear(alarm::kind::invariant_breach, subject_of(w.balance.sale), now);
    }
}

// Has the gate of a cluster rebuilt from the ledger, if nothing is wrong with the ledger itself.
bool reconciler::rebuilds_gate(const balance_check& w, record& r) {
    if (r.not_rebuilt || w.what == shop::mismatch::none || w.what == shop::mismatch::book)
        return false;
    const auto wrong = world_.orders.book.tallies().explain(w.balance.sale);
    if (!wrong || !wrong->empty()) return false;
    const auto begun = world_.node.gate_differs(w.balance.sale);
    r.not_rebuilt = begun && !*begun;
    if (r.not_rebuilt) return false;
    log::warning("jobs.reconciliation_gate_differs", "sale", w.balance.sale.value, "what",
                 w.sentence, "done",
                 begun ? "it is rebuilt from the book" : begun.error().message());
    return begun.has_value();
}

void reconciler::declare(const balance_check& w, record& r, instant now) {
    const sale::sale_id id = w.balance.sale;
    pause(w, r);  // before anything that takes time
    r.differences = name_differences(id, w.sentence);
    for (const std::string& what : r.differences)
        log::error("jobs.reconciliation_differs", "sale", id.value, "what", what);
    world_.board.raise(alarm::kind::invariant_breach, subject_of(id), w.sentence, now);
}

void reconciler::pause(const balance_check& w, record& r) {
    const auto paused = close_sale(w.balance.sale, w.sentence);
    // conflict: a sale that cannot be paused cannot be bought either. fenced: another node looks
    // after the sales, and pauses it.
    r.paused = paused || paused.error() == errc::conflict || paused.error() == errc::fenced;
    if (!r.paused && !r.pause_failed) {
        r.pause_failed = true;  // tried again at every look, logged once
        log::error("jobs.reconciliation_pause_failed", "sale", w.balance.sale.value, "reason",
                   paused.error().message());
    }
}

// The ledger is the fenced one: once another node has taken over the jobs, it refuses our writes.
result<void> reconciler::close_sale(sale::sale_id id, const std::string& why) {
    if (!world_.node.on_duty()) return errc::fenced;
    const auto done = world_.catalogue.pause(id, {.why = why, .book = &world_.timed_book});
    if (!done) return done.error();
    if (done->gate) return done->gate;
    return {};
}

ledger::findings reconciler::name_differences(sale::sale_id id, const std::string& first) {
    ledger::findings out;
    if (!first.empty()) out.push_back(first);
    auto now = world_.desk.explain(id);
    if (!now) now = world_.orders.book.tallies().explain(id);  // at least the book's part
    if (now) out.insert(out.end(), now->begin(), now->end());
    return out;
}

}  // namespace floodgate::jobs
