// Products, rounds, terms and stock. The states of sales are in sale_states.cpp, warm-up is in
// warm_up.cpp.

#include "shop/catalogue_desk.hpp"

#include "base/log.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::shop {
namespace {

constexpr int stock_tries = 5;  // while the sale is changed in between

const char* action_of(const stock_change& change) {
    return change.delta > 0 ? "stock.added" : "stock.removed";
}

}  // namespace

boost::system::error_code catalogue_desk::why_not(const result<void>& told,
                                                  const std::string& subject) {
    if (told) return {};
    log::error("shop.gate_not_told", "subject", subject, "reason", told.error().message());
    return told.error();
}

result<sale::sale> catalogue_desk::find(sale::sale_id id) {
    auto found = book_.catalogue().find_sale(id);
    if (found) brake_.remember(*found);
    return found;
}

ledger::catalogue_book& catalogue_desk::through(const actor& by) {
    return by.book ? by.book->catalogue() : book_.catalogue();
}

ledger::audit_line catalogue_desk::line(const actor& by, const act& done) const {
    return line_for({by.who, by.address, clock_.now()}, done);
}

void catalogue_desk::conclude(const actor& by, const std::string& action,
                              const std::string& subject) {
    if (in_batch_) {
        batch_changed_ = true;
    } else {
        self_.catalogue_changed();
    }
    log_act(by.who, action, subject);
}

// Sends the terms that the ledger has now, with their revision: another node may have changed them.
result<void> catalogue_desk::tell_gate(sale::sale_id id) {
    const auto s = find(id);
    if (!s) return s.error();
    return brake_.tell(*s);
}

// Tells the gate every sale of the round, even if one fails. Gives the first error.
result<void> catalogue_desk::tell_gate_of_round(sale::round_id id) {
    const auto all = book_.catalogue().sales();
    if (!all) return all.error();
    brake_.remember(*all);
    result<void> told;
    for (const sale::sale& s : *all) {
        if (s.round != id) continue;
        if (const auto one = brake_.tell(s); !one && told) told = one.error();
    }
    return told;
}

result<std::vector<sale::sale>> catalogue_desk::sales() {
    const std::lock_guard lock(one_at_a_time_);
    auto all = book_.catalogue().sales();
    if (all) brake_.remember(*all);
    return all;
}

result<sale::product> catalogue_desk::add_product(const sale::product& p, const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    const char* const action = "product.created";
    sale::product kept = p;
    const auto id = through(by).add_product(p, [&](const sale::product_id& given) {
        kept.id = given;
        return line(by, {action, subject_of("product", given.value), {}, to_json(kept)});
    });
    if (!id) return id.error();
    conclude(by, action, subject_of("product", id->value));
    return kept;
}

result<sale::product> catalogue_desk::change_product(sale::product_id id,
                                                     const product_change& change,
                                                     const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    const auto old = book_.catalogue().find_product(id);
    if (!old) return old.error();
    const sale::product p = change.applied_to(*old);
    const act made{"product.changed", subject_of("product", id.value), to_json(*old), to_json(p)};
    if (const auto done = through(by).update_product(p, line(by, made)); !done) return done.error();
    conclude(by, made.action, made.subject);
    return p;
}

result<sale::round> catalogue_desk::add_round(const sale::round& r, const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    const char* const action = "round.created";
    sale::round kept = r;
    const auto id = through(by).add_round(r, [&](const sale::round_id& given) {
        kept.id = given;
        return line(by, {action, subject_of("round", given.value), {}, to_json(kept)});
    });
    if (!id) return id.error();
    conclude(by, action, subject_of("round", id->value));
    return kept;
}

result<changed_round> catalogue_desk::change_round(sale::round_id id, const round_change& change,
                                                   const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    const auto old = book_.catalogue().find_round(id);
    if (!old) return old.error();
    const sale::round r = change.applied_to(*old);
    const act made{"round.changed", subject_of("round", id.value), to_json(*old), to_json(r)};
    if (const auto done = through(by).update_round(r, line(by, made)); !done) return done.error();
    const auto gate = why_not(tell_gate_of_round(id), made.subject);
    conclude(by, made.action, made.subject);
    return changed_round{r, gate};
}

result<sale::sale> catalogue_desk::add_sale(const sale::sale& s, const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    const auto round = book_.catalogue().find_round(s.round);
    if (!round) return round.error();
    const char* const action = "sale.created";
    sale::sale made = s;
    made.starts_at = round->starts_at;
    made.ends_at = round->ends_at;
    const auto id = through(by).add_sale(s, clock_.now(), [&](const sale::sale_id& given) {
        made.id = given;
        return line(by, {action, subject_of("sale", given.value), {}, to_json(made)});
    });
    if (!id) return id.error();
    conclude(by, action, subject_of("sale", id->value));
    return find(*id);
}

result<changed_sale> catalogue_desk::change_terms(sale::sale_id id, const terms_change& change,
                                                  const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    return change_terms_now(id, change, by);
}

result<changed_sale> catalogue_desk::change_terms_now(sale::sale_id id, const terms_change& change,
                                                      const actor& by) {
    const auto old = find(id);
    if (!old) return old.error();
    const sale::sale s = change.applied_to(*old);
    // A limit is not lowered once the sale was published: promises made under the old limit may be
    // in flight.
    if (s.limit < old->limit && old->state != sale::sale_state::draft) return errc::conflict;
    const act made{"sale.changed", subject_of("sale", id.value), to_json(*old), to_json(s)};
    if (const auto done = through(by).update_sale_terms(s, line(by, made)); !done)
        return done.error();
    const auto gate = why_not(tell_gate(id), made.subject);
    conclude(by, made.action, made.subject);
    return changed_sale{s, gate};
}

// Whether the gate must hold the sale, because buyers may ask for it.
bool catalogue_desk::is_on_sale(const sale::sale& s) const {
    const bool shown =
        s.state == sale::sale_state::published || s.state == sale::sale_state::paused;
    return shown && clock_.now() < s.ends_at;
}

// To add units, write the ledger first; otherwise the gate would promise units that do not exist
// yet. To remove units, tell the gate first: only units that it has given up may leave the ledger.
// A gate that is being rebuilt does not know yet what it has promised, so this is checked before
// and after. If the sale was changed since it was read, the smaller stock was wrong: conflict.
result<std::int64_t> catalogue_desk::move_stock(const sale::sale& s, const stock_change& change,
                                                const actor& by) {
    if (change.delta < 0) {
        sale::sale smaller = s;
        smaller.stock += change.delta;
        smaller.revision = 0;  // the ledger does not know of it yet
        if (smaller.stock < 0) return errc::conflict;
        const bool on_sale = is_on_sale(s);
        if (on_sale && !brake_.gate_holds(s.id)) return errc::store_unavailable;
        if (const auto told = brake_.tell(smaller); !told) return told.error();
        if (on_sale && !brake_.gate_holds(s.id)) {
            (void)why_not(brake_.tell(s), subject_of("sale", s.id.value));
            return errc::store_unavailable;
        }
    }
    std::optional<std::int64_t> only_at;
    if (change.delta < 0) only_at = s.revision;
    const auto total = through(by).change_stock(
        s.id, change.delta, change.note, clock_.now(),
        [&](const std::int64_t& after) {
            return line(by, {action_of(change),
                             subject_of("sale", s.id.value),
                             {{"stock", after - change.delta}},
                             {{"stock", after}, {"note", change.note}}});
        },
        only_at);
    // The units go back to the gate, also when the ledger cannot even be read.
    if (!total && change.delta < 0 && !tell_gate(s.id))
        (void)why_not(brake_.tell(s), subject_of("sale", s.id.value));
    return total;
}

result<changed_sale> catalogue_desk::change_stock(sale::sale_id id, const stock_change& change,
                                                  const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    return change_stock_now(id, change, by);
}

result<changed_sale> catalogue_desk::change_stock_now(sale::sale_id id, const stock_change& change,
                                                      const actor& by) {
    auto old = find(id);
    if (!old) return old.error();
    const std::string subject = subject_of("sale", id.value);
    changing_stock_ = id.value;
    auto total = move_stock(*old, change, by);
    for (int tries = 1; !total && total.error() == errc::conflict && tries < stock_tries; ++tries) {
        const auto now = find(id);
        if (!now || now->revision == old->revision) break;
        old = now;
        total = move_stock(*old, change, by);
    }
    const auto gate = total ? why_not(tell_gate(id), subject) : boost::system::error_code();
    changing_stock_ = 0;
    if (!total) return total.error();
    conclude(by, action_of(change), subject);
    sale::sale s = *old;
    s.stock = *total;
    // Removed units have left the gate already; it may only lack the new revision.
    return changed_sale{s, change.delta > 0 ? gate : boost::system::error_code()};
}

}  // namespace floodgate::shop
