#include "gate/shelf.hpp"

#include <algorithm>
#include <cassert>

namespace floodgate::gate {
namespace {

// Room reserved in advance for a sale's buyers. Beyond it the map grows during the sale, one part
// at a time.
constexpr std::int64_t reserve_max = 100'000;

}  // namespace

shelf::shelf(const sale::sale& terms) : terms_(terms) {
    assert(terms.stock >= 0);
    buyers_.reserve(static_cast<std::size_t>(std::min(terms.stock, reserve_max)));
}

bool shelf::change_terms(const sale::sale& terms) {
    assert(terms.id == terms_.id);
    sale::sale next = terms;
    if (next.revision == 0) {
        next.revision = terms_.revision;
        if (withdrawn_at_ > 0) next.stock = std::min(next.stock, terms_.stock);
    } else if (next.revision < std::max(terms_.revision, withdrawn_at_)) {
        return true;
    }
    if (next.stock < taken() && next.stock < terms_.stock) return false;
    terms_ = next;
    return true;
}

std::optional<sale::answer> shelf::refusal_by_terms(instant now) const {
    if (terms_.state == sale::sale_state::draft) return sale::answer::unknown_sale;
    if (terms_.state == sale::sale_state::paused) return sale::answer::paused;
    if (terms_.state == sale::sale_state::ended) return sale::answer::ended;
    if (now < terms_.starts_at) return sale::answer::not_started;
    if (now >= terms_.ends_at) return sale::answer::ended;
    return std::nullopt;
}

sale::verdict shelf::judge(const sale::attempt& a, instant now) const {
    assert(a.quantity > 0);
    sale::verdict v{.reply_to = a.reply_to, .what = sale::answer::accepted};
    if (a.key != sale::no_key) {
        if (const keyed* k = keys_.find(a.key)) {
            v.what = k->quantity == a.quantity ? sale::answer::repeated : sale::answer::key_reused;
            v.order = k->order;
            v.buyer = a.buyer;
            return v;
        }
    }
    if (const auto refusal = refusal_by_terms(now)) {
        v.what = *refusal;
        v.starts_at = terms_.starts_at;
        return v;
    }
    if (a.quantity > terms_.limit) {
        v.what = sale::answer::over_limit;
        v.units = terms_.limit;
        return v;
    }
    const holding* h = buyers_.find(a.buyer);
    const std::uint64_t held = h ? h->units : 0;
    if (held + a.quantity > terms_.limit) {
        v.what = sale::answer::already_ordered;
        v.order = h->latest;  // the quantity alone is within the limit, so there is one
        return v;
    }
    if (const instant until = cooling_.until(a.buyer); now < until) {
        v.what = sale::answer::cooling_down;
        v.cool_until = until;
        return v;
    }
    const std::int64_t free = terms_.stock - taken();
    if (free < static_cast<std::int64_t>(a.quantity)) {
        v.what = free <= 0 ? sale::answer::sold_out : sale::answer::not_enough;
        v.units = std::max<std::int64_t>(free, 0);
    }
    return v;
}

void shelf::put_down(const sale::promise& p, sale::sequence seq) {
    assert(p.sale == terms_.id);
    given_ += p.quantity;
    largest_ = std::max(largest_, p.quantity);
    rests_on_ = std::max(rests_on_, seq);
    holding& h = buyers_[p.buyer];
    if (h.units > 0) earlier_[p.order] = {h.latest, h.latest_quantity};
    h.latest = p.order;
    h.latest_quantity = p.quantity;
    h.units += p.quantity;
    if (p.key != sale::no_key) keys_[p.key] = {p.order, p.quantity};
}

// Takes `order` out of the buyer's chain; `quantity` stays 0 when it is not there.
void shelf::unlink(holding& h, sale::order_no order, std::uint32_t& quantity) {
    link at{h.latest, h.latest_quantity};
    const sale::order_no* newer = nullptr;  // the order whose link names `at`
    sale::order_no newer_no{};
    while (at.order != order) {
        const link* next = earlier_.find(at.order);
        if (!next) return;
        newer_no = at.order;
        newer = &newer_no;
        at = *next;
    }
    quantity = at.quantity;
    const link* found = earlier_.find(order);
    const link rest = found ? *found : link{};
    earlier_.erase(order);
    if (!newer) {
        h.latest = rest.order;
        h.latest_quantity = rest.quantity;
    } else if (rest.order.value != 0) {
        earlier_[*newer] = rest;
    } else {
        earlier_.erase(*newer);
    }
}

bool shelf::release(sale::user_id buyer, sale::order_no order, std::int64_t withdrawn_at) {
    holding* h = buyers_.find(buyer);
    if (!h) return false;
    std::uint32_t quantity = 0;
    unlink(*h, order, quantity);
    if (quantity == 0) return false;
    assert(h->units >= quantity);
    h->units -= quantity;
    if (h->units == 0) buyers_.erase(buyer);
    returned_ += quantity;
    assert(taken() >= 0);
    if (withdrawn_at > 0) withdraw(quantity, withdrawn_at);
    return true;
}

void shelf::withdraw(std::uint32_t quantity, std::int64_t at) {
    withdrawn_at_ = std::max(withdrawn_at_, at);
    if (terms_.revision < at) terms_.stock -= quantity;
}

void shelf::orders_of(sale::user_id buyer, std::vector<turnstile::promised>& out) {
    const holding* h = buyers_.find(buyer);
    if (!h) return;
    link at{h->latest, h->latest_quantity};
    for (;;) {
        out.push_back({terms_.id, at.order, at.quantity});
        const link* next = earlier_.find(at.order);
        if (!next) return;
        at = *next;
    }
}

bool shelf::retake(const sale::promise& p) {
    std::vector<turnstile::promised> has;
    orders_of(p.buyer, has);
    if (std::ranges::find(has, p.order, &turnstile::promised::order) != has.end()) return true;
    if (terms_.stock - taken() < static_cast<std::int64_t>(p.quantity)) return false;
    put_down(p, {});
    return true;
}

void shelf::restore_key(const sale::promise& p) {
    assert(p.sale == terms_.id);
    if (p.key == sale::no_key || keys_.find(p.key)) return;
    keys_[p.key] = {p.order, p.quantity};
}

std::vector<held_unit> shelf::held() {
    std::vector<held_unit> out;
    std::vector<turnstile::promised> orders;
    buyers_.for_each([&](sale::user_id buyer, const holding&) {
        orders.clear();
        orders_of(buyer, orders);
        for (const auto& o : orders) out.push_back({buyer, o.order, o.quantity});
    });
    std::ranges::sort(out, {}, &held_unit::order);
    return out;
}

std::vector<sale::idempotency_key> shelf::keys() const {
    std::vector<sale::idempotency_key> out;
    out.reserve(keys_.size());
    keys_.for_each([&](const sale::idempotency_key& key, const keyed&) { out.push_back(key); });
    return out;
}

standing shelf::look() const {
    return {.stock = terms_.stock,
            .taken = taken(),
            .buyers = buyers_.size(),
            .bytes = buyers_.bytes() + earlier_.bytes() + keys_.bytes() + cooling_.bytes(),
            .given = given_,
            .returned = returned_,
            .largest = largest_};
}

}  // namespace floodgate::gate
