#include "shop/order_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace floodgate::shop {
namespace {

// Two orders are the same if number and quantity are.
using entry = std::pair<sale::order_no, std::uint32_t>;
entry entry_of(const gate::held_unit& u) { return {u.order, u.quantity}; }
entry entry_of(const ledger::held_order& o) { return {o.no, o.quantity}; }

// Both sides come in order of number, so these are sorted.
template <class Order>
std::vector<entry> entries(const std::vector<Order>& orders) {
    std::vector<entry> out;
    out.reserve(orders.size());
    for (const Order& o : orders) out.push_back(entry_of(o));
    return out;
}

template <class Order>
void drop(std::vector<Order>& from, const std::vector<entry>& these) {
    std::erase_if(from,
                  [&](const Order& o) { return std::ranges::binary_search(these, entry_of(o)); });
}

// Looks at the gate again: an order that was released or promised meanwhile is no difference.
void look_again(gate::turnstile& gate, sale::sale_id id, order_differences& d) {
    if (d.only_gate.empty() && d.only_book.empty()) return;
    const auto now = entries(gate.held_in(id));
    drop(d.only_book, now);
    std::erase_if(d.only_gate, [&](const gate::held_unit& u) {
        return !std::ranges::binary_search(now, entry_of(u));
    });
}

std::string units(std::uint32_t n) { return fmt::format("{} unit{}", n, n == 1 ? "" : "s"); }

std::string fate_in_book(ledger::ledger& book, sale::order_no no) {
    const auto found = book.orders().find(no);
    if (found) return fmt::format("the book has it as {}", to_text(found->state));
    if (found.error() == errc::not_found) return "the book has no such order";
    return "the book cannot be read";
}

// The order may have been closed and released between reading the ledger and retaking its units. If
// it is closed after the look here, it is also released after the retake.
void release_if_closed(const match_world& w, const ledger::held_order& o) {
    const auto now = w.book.orders().find(o.no);
    if (!now || sale::holds_stock(now->state)) return;
    const auto of = w.book.catalogue().find_sale(o.sale);
    if (!of) return;
    const bool withdrawn = now->state == sale::order_state::refunded && !of->resell_refunded;
    w.turnstile.release({.sale = o.sale,
                         .buyer = o.buyer,
                         .order = o.no,
                         .withdrawn_at = withdrawn ? of->revision : 0});
}

}  // namespace

result<order_differences> match_orders(const match_world& w, sale::sale_id id) {
    order_differences d;
    d.only_gate = w.turnstile.held_in(id);
    const auto queued = w.between.of_sale(id);
    if (!queued) return queued.error();
    const auto read = w.book.tallies().for_each_held(
        id, [&](const ledger::held_order& o) { d.only_book.push_back(o); });
    if (!read) return read.error();

    const auto at_gate = entries(d.only_gate), in_book = entries(d.only_book);
    drop(d.only_gate, in_book);
    drop(d.only_book, at_gate);
    std::erase_if(d.only_gate, [&](const gate::held_unit& u) {
        return std::ranges::binary_search(*queued, u.order);
    });
    look_again(w.turnstile, id, d);
    return d;
}

std::vector<std::string> say(ledger::ledger& book, const order_differences& d, std::size_t max) {
    std::vector<std::string> out;
    for (const auto& u : d.only_gate) {
        if (out.size() == max) break;
        out.push_back(fmt::format("order {} of buyer {}: the gate holds {} for it; {}",
                                  u.order.value, u.buyer.value, units(u.quantity),
                                  fate_in_book(book, u.order)));
    }
    for (const auto& o : d.only_book) {
        if (out.size() == max) break;
        out.push_back(fmt::format("order {} of buyer {}: holds {} in the book; the gate does not",
                                  o.no.value, o.buyer.value, units(o.quantity)));
    }
    const std::size_t left = d.only_gate.size() + d.only_book.size() - out.size();
    if (left > 0) out.push_back(fmt::format("and {} more orders", left));
    return out;
}

// Any of these units may have been withdrawn, so none of them is on sale before the gate has the
// ledger's stock: the caller warms the sale up next.
void release_at_gate(const match_world& w, sale::sale_id id, const order_differences& d,
                     ledger::repair_report& report) {
    if (d.only_gate.empty()) return;
    const auto now = w.book.catalogue().find_sale(id);
    if (!now) {
        report.open.push_back(
            fmt::format("sale {}: the book cannot be read: {}", id.value, now.error().message()));
        return;
    }
    for (const gate::held_unit& u : d.only_gate) {
        w.turnstile.release(
            {.sale = id, .buyer = u.buyer, .order = u.order, .withdrawn_at = now->revision});
        report.done.push_back(fmt::format("order {}: its {} at the gate went back", u.order.value,
                                          units(u.quantity)));
    }
}

void retake_at_gate(const match_world& w, const order_differences& d,
                    ledger::repair_report& report) {
    for (const ledger::held_order& o : d.only_book) {
        const auto taken = w.turnstile.retake({.order = o.no,
                                               .sale = o.sale,
                                               .buyer = o.buyer,
                                               .quantity = o.quantity,
                                               .key = o.key});
        if (!taken) {
            report.open.push_back(fmt::format("order {}: the gate cannot hold its {}: {}",
                                              o.no.value, units(o.quantity),
                                              taken.error().message()));
            continue;
        }
        release_if_closed(w, o);
        report.done.push_back(
            fmt::format("order {}: the gate holds its {} again", o.no.value, units(o.quantity)));
    }
}

}  // namespace floodgate::shop
