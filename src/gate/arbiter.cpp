#include "gate/arbiter.hpp"

#include <algorithm>

namespace floodgate::gate {

decision arbiter::decide(const sale::attempt& a, instant now, bool may_promise) {
    if (a.key != sale::no_key) {
        const sale::sale_id* used_at = used_at_.find(a.key);
        if (shelf* other = used_at && *used_at != a.sale ? find(*used_at) : nullptr)
            return {.verdict = {.reply_to = a.reply_to, .what = sale::answer::key_reused},
                    .on = other};
    }
    shelf* on = find(a.sale);
    if (!on) return {.verdict = {.reply_to = a.reply_to, .what = sale::answer::unknown_sale}};

    on->forget_cooled(now);
    decision d{.verdict = on->judge(a, now), .on = on};
    if (d.verdict.what != sale::answer::accepted) return d;
    if (!may_promise) {
        d.verdict.what = sale::answer::busy;
        return d;
    }
    d.verdict.order = numbers_.next(now);
    d.promise = {.order = d.verdict.order,
                 .sale = a.sale,
                 .buyer = a.buyer,
                 .quantity = a.quantity,
                 .unit_price = on->terms().price,
                 .unit_points = on->terms().price_points,
                 .at = now,
                 .key = a.key};
    return d;
}

void arbiter::put_down(const decision& d, sale::sequence seq) {
    d.on->put_down(d.promise, seq);
    bind(d.promise.key, d.promise.sale);
}

// The first order under a key keeps it, as long as the gate holds its sale.
void arbiter::bind(const sale::idempotency_key& key, sale::sale_id to) {
    if (key == sale::no_key) return;
    sale::sale_id& sale = used_at_[key];
    if (sale.value == 0 || !find(sale)) sale = to;
}

result<void> arbiter::warm_up(const sale::sale& s) {
    if (shelf* on = find(s.id)) {
        if (!on->change_terms(s)) return make_error_code(errc::conflict);
        return {};
    }
    shelves_.emplace(s.id, std::make_unique<shelf>(s));
    return {};
}

void arbiter::restore(const sale::promise& p, sale::sequence seq) {
    numbers_.skip_past(p.order);
    shelf* on = find(p.sale);
    if (!on) return;
    on->put_down(p, seq);
    bind(p.key, p.sale);
}

void arbiter::restore_key(const sale::promise& p) {
    numbers_.skip_past(p.order);
    shelf* on = find(p.sale);
    if (!on) return;
    on->restore_key(p);
    bind(p.key, p.sale);
}

result<void> arbiter::retake(const sale::promise& p) {
    shelf* on = find(p.sale);
    if (!on) return make_error_code(errc::not_found);
    if (!on->retake(p)) return make_error_code(errc::conflict);
    bind(p.key, p.sale);
    return {};
}

std::unique_ptr<shelf> arbiter::forget(sale::sale_id id) {
    const auto found = shelves_.find(id);
    if (found == shelves_.end()) return nullptr;
    std::unique_ptr<shelf> gone = std::move(found->second);
    shelves_.erase(found);
    return gone;
}

void arbiter::forget_keys(sale::sale_id of, std::span<const sale::idempotency_key> keys) {
    if (find(of)) return;  // loaded again meanwhile
    for (const sale::idempotency_key& key : keys)
        if (const sale::sale_id* used_at = used_at_.find(key); used_at && *used_at == of)
            used_at_.erase(key);
}

shelf* arbiter::find(sale::sale_id id) {
    const auto found = shelves_.find(id);
    return found == shelves_.end() ? nullptr : found->second.get();
}

std::vector<turnstile::promised> arbiter::promised_to(sale::user_id buyer) {
    std::vector<turnstile::promised> out;
    for (auto& [id, on] : shelves_) on->orders_of(buyer, out);
    std::ranges::sort(out, [](const auto& a, const auto& b) { return a.order > b.order; });
    return out;
}

}  // namespace floodgate::gate
