// The part of catalogue_desk that puts many products or sales at once.

#include "shop/catalogue_puts.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "shop/catalogue_desk.hpp"
#include "shop/catalogue_json.hpp"

namespace floodgate::shop {
namespace {

using ledger::put_outcome;
using ledger::put_result;

template <class Thing>
boost::json::object json_or_none(const Thing* thing) {
    return thing ? to_json(*thing) : boost::json::object();
}

// Says why a line was refused that needed the gate.
void refuse(put_result& r, const boost::system::error_code& why, const char* field,
            const char* detail) {
    r.what = put_outcome::refused;
    r.why = errc::store_unavailable;
    for (const errc known : {errc::conflict, errc::invalid, errc::not_found})
        if (why == make_error_code(known)) r.why = known;
    r.field = field;
    r.detail =
        r.why == errc::store_unavailable ? "the gate or the ledger cannot be reached now" : detail;
}

bool any_changed(const std::vector<put_result>& done) {
    return std::ranges::any_of(done, [](const put_result& r) {
        return r.what == put_outcome::created || r.what == put_outcome::updated;
    });
}

}  // namespace

ledger::put_signer signer_of(const signature& by) {
    return {
        .product =
            [by](const sale::product* before, const sale::product& after) {
                return line_for(by, {before ? "product.changed" : "product.created",
                                     subject_of("product", after.id.value), json_or_none(before),
                                     to_json(after)});
            },
        .round =
            [by](const sale::round& made) {
                return line_for(
                    by, {"round.created", subject_of("round", made.id.value), {}, to_json(made)});
            },
        .sale =
            [by](const sale::sale* before, const sale::sale& after) {
                return line_for(
                    by, {before ? "sale.changed" : "sale.created",
                         subject_of("sale", after.id.value), json_or_none(before), to_json(after)});
            },
        .stock =
            [by](std::int64_t before, const sale::sale& after) {
                return line_for(by, {after.stock > before ? "stock.added" : "stock.removed",
                                     subject_of("sale", after.id.value),
                                     {{"stock", before}},
                                     {{"stock", after.stock}, {"note", ""}}});
            }};
}

result<std::vector<put_result>> catalogue_desk::put_products(
    std::span<const sale::product_line> lines, const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    const signature signed_by{by.who, by.address, clock_.now()};
    auto done = through(by).put_products(lines, {signed_by.at}, signer_of(signed_by));
    if (!done) return done;
    batch_changed_ = any_changed(*done);
    announce_batch(by, "products.put", *done);
    return done;
}

result<std::vector<put_result>> catalogue_desk::put_sales(std::span<const sale::sale_line> lines,
                                                          const actor& by) {
    const std::lock_guard lock(one_at_a_time_);
    const signature signed_by{by.who, by.address, clock_.now()};
    auto done = through(by).put_sales(lines, {signed_by.at}, signer_of(signed_by));
    if (!done) return done;
    batch_changed_ = any_changed(*done);
    in_batch_ = true;
    for (std::size_t i = 0; i < lines.size(); ++i) finish_line(lines[i], by, (*done)[i]);
    in_batch_ = false;
    announce_batch(by, "sales.put", *done);
    return done;
}

void catalogue_desk::announce_batch(const actor& by, const char* action,
                                    const std::vector<put_result>& done) {
    if (!std::exchange(batch_changed_, false)) return;
    self_.catalogue_changed();
    const auto count = [&](put_outcome what) {
        return std::ranges::count(done, what, &put_result::what);
    };
    log::info("shop.batch_put", "action", action, "user", by.who.value, "created",
              count(put_outcome::created), "updated", count(put_outcome::updated), "refused",
              count(put_outcome::refused));
}

// What the ledger alone could not do.
void catalogue_desk::finish_line(const sale::sale_line& line, const actor& by, put_result& r) {
    if (r.what == put_outcome::on_sale) change_on_sale(line, by, r);
    if (!line.publish || r.what == put_outcome::refused) return;
    const auto s = find({r.id});
    if (!s || s->state != sale::sale_state::draft) return;
    const auto opened = open_now({r.id}, sale::sale_state::draft, "sale.published", by);
    if (!opened || opened->gate)
        return refuse(r, opened ? opened->gate : opened.error(), "publish",
                      "the sale cannot be published");
    if (r.what == put_outcome::unchanged) r.what = put_outcome::updated;
}

void catalogue_desk::change_on_sale(const sale::sale_line& line, const actor& by, put_result& r) {
    r.what = put_outcome::updated;
    const auto old = find({r.id});
    if (!old) return refuse(r, old.error(), "", "there is no such sale");
    terms_change terms = line.terms;
    terms.external_id.reset();  // it was found by this one
    if (to_json(terms.applied_to(*old)) != to_json(*old)) {
        const auto changed = change_terms_now({r.id}, terms, by);
        if (!changed || changed->gate)
            return refuse(r, changed ? changed->gate : changed.error(), "limit",
                          "the limit of a published sale can only be raised");
    }
    const std::int64_t delta = line.stock.value_or(old->stock) - old->stock;
    if (delta == 0) return;
    const auto changed = change_stock_now({r.id}, {.delta = delta}, by);
    if (!changed || changed->gate)
        refuse(r, changed ? changed->gate : changed.error(), "stock",
               "fewer units are free than would have to be removed");
}

}  // namespace floodgate::shop
