#include "ledger/move_gatherer.hpp"

#include <set>

#include "ledger/guarded.hpp"

namespace floodgate::ledger {
namespace {

// Whether the failure says that the store does not work: whoever tried again, alone, would be told
// the same. Any other failure may be due to one of the moves, or is over when it is tried again.
bool concerns_all(store::sql_failure kind) {
    switch (kind) {
    case store::sql_failure::busy:
    case store::sql_failure::full:
    case store::sql_failure::fenced:
    case store::sql_failure::other: return true;
    default: return false;
    }
}

result<move_outcome> told(move_kind kind, const move_answer& answer) {
    if (const auto* refused = std::get_if<errc>(&answer)) return *refused;
    if (const auto* failure = std::get_if<store::sql_error>(&answer))
        return explain(to_text(kind), *failure);
    return std::get<move_outcome>(answer);
}

}  // namespace

result<move_outcome> move_gatherer::make(const move_request& m) {
    if (moves_max_ == 1) return make_alone(m);
    caller me{m};
    {
        std::unique_lock lock(mutex_);
        waiting_.push_back(&me);
        if (!led_) {
            led_ = true;
            me.now = phase::leads;
        }
        me.called.wait(lock, [&] { return me.now != phase::waits; });
    }
    if (me.now == phase::leads) lead();
    return me.now == phase::goes_alone ? make_alone(m) : told(m.kind, me.answer);
}

result<move_outcome> move_gatherer::make_alone(const move_request& m) {
    return guarded(to_text(m.kind), [&]() -> result<move_outcome> {
        move_answer answer;
        const batched_move one{&m, &answer};
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (make_moves(*c, {&one, 1})) t.commit();
        return told(m.kind, answer);
    });
}

void move_gatherer::lead() {
    std::vector<caller*> batch;
    phase end = phase::is_answered;
    try {
        make_together(batch);
    } catch (const store::sql_error& failure) {
        if (batch.empty()) batch = gather();
        if (concerns_all(failure.kind())) {
            for (caller* c : batch) c->answer = failure;
        } else {
            end = phase::goes_alone;
        }
    } catch (...) {
        if (batch.empty()) batch = gather();
        end = phase::goes_alone;  // Each then meets its own exception, if it still comes.
    }
    dismiss(batch, end);
}

// The moves are gathered after the writer's connection is there: it may have been waited for.
void move_gatherer::make_together(std::vector<caller*>& batch) {
    const auto c = db_.writer();
    store::transaction t(*c, store::access::write);
    batch = gather();
    std::vector<batched_move> moves;
    moves.reserve(batch.size());
    for (caller* one : batch) moves.push_back({&one->what, &one->answer});
    if (make_moves(*c, moves)) t.commit();
}

// The leader has waited longest, so it is always among them.
std::vector<move_gatherer::caller*> move_gatherer::gather() {
    std::set<sale::order_no> orders;
    std::vector<caller*> batch, rest;
    const std::lock_guard lock(mutex_);
    for (caller* c : waiting_) {
        const bool fits = batch.size() < moves_max_ && orders.insert(c->what.order).second;
        (fits ? batch : rest).push_back(c);
    }
    waiting_.swap(rest);
    return batch;
}

// The callers are told under the lock: they must not go before they have been called.
void move_gatherer::dismiss(const std::vector<caller*>& batch, phase as) {
    const std::lock_guard lock(mutex_);
    led_ = !waiting_.empty();
    if (led_) {
        waiting_.front()->now = phase::leads;
        waiting_.front()->called.notify_one();
    }
    for (caller* c : batch) {
        c->now = as;
        c->called.notify_one();
    }
}

}  // namespace floodgate::ledger
