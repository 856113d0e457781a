#include "gate/arbiter.hpp"

#include <algorithm>

namespace floodgate::gate {

decision arbiter::decide(const sale::attempt& a, instant now, bool may_promise) {
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
    if (shelf* on = find(p.sale)) on->put_down(p, seq);
}

void arbiter::restore_key(const sale::promise& p) {
    numbers_.skip_past(p.order);
    if (shelf* on = find(p.sale)) on->restore_key(p);
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
