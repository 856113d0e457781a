#include "ledger/move_gatherer.hpp"

#include <algorithm>

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
        return store::explain({failed_event, to_text(kind)}, *failure);
    return std::get<move_outcome>(answer);
}

}  // namespace

// A database without a word for locking rows has one writer.
move_gatherer::move_gatherer(store::database& db, const gathering& how)
    : db_(db),
      moves_max_(how.moves_max),
      leaders_max_(db.speaks().for_update.empty() ? 1 : how.at_once_max) {}

result<move_outcome> move_gatherer::make(const move_request& m) {
    if (moves_max_ == 1) return make_alone(m);
    const auto me = std::make_shared<caller>(m);
    come(me);
    me->now.wait(phase::waits);
    if (me->now == phase::leads) lead(me);
    return me->now == phase::goes_alone ? make_alone(m) : told(m.kind, me->answer);
}

std::size_t move_gatherer::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
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

void move_gatherer::come(const shared_caller& me) {
    const std::lock_guard lock(mutex_);
    if (leaders_ < leaders_max_ && in_hand_.insert(me->what.order).second) {
        ++leaders_;
        me->now = phase::leads;
    } else {
        waiting_.push_back(me);
    }
}

void move_gatherer::lead(const shared_caller& me) {
    batch all{me};
    phase end = phase::is_answered;
    try {
        make_together(all);
    } catch (const store::sql_error& failure) {
        if (concerns_all(failure.kind())) {
            for (const shared_caller& c : all) c->answer = apart(failure);
        } else {
            end = phase::goes_alone;
        }
    } catch (...) {
        end = phase::goes_alone;  // Each then meets its own exception, if it still comes.
    }
    dismiss(all, end);
}

// The others are gathered after the writer's connection is there: it may have been waited for.
void move_gatherer::make_together(batch& with) {
    const auto c = db_.writer();
    store::transaction t(*c, store::access::write);
    gather(with);
    std::vector<batched_move> moves;
    moves.reserve(with.size());
    for (const shared_caller& one : with) moves.push_back({&one->what, &one->answer});
    if (make_moves(*c, moves)) t.commit();
}

void move_gatherer::gather(batch& with) {
    const std::lock_guard lock(mutex_);
    std::erase_if(waiting_, [&](const shared_caller& c) {
        if (with.size() == moves_max_ || !in_hand_.insert(c->what.order).second) return false;
        with.push_back(c);
        return true;
    });
}

// The next leader is called before the answers are: the disk should not wait.
void move_gatherer::dismiss(const batch& all, phase as) {
    shared_caller next;
    {
        const std::lock_guard lock(mutex_);
        --leaders_;
        for (const shared_caller& c : all) in_hand_.erase(c->what.order);
        const auto free = std::ranges::find_if(waiting_, [&](const shared_caller& c) {
            return in_hand_.insert(c->what.order).second;
        });
        if (free != waiting_.end()) {
            ++leaders_;
            next = *free;
            waiting_.erase(free);
        }
    }
    if (next) next->call(phase::leads);
    for (const shared_caller& c : all) c->call(as);
}

}  // namespace floodgate::ledger
