#include "shop/order_lookup.hpp"

#include <algorithm>

#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

using promised = gate::turnstile::promised;

sale::order queued_order(sale::user_id buyer, const promised& p) {
    sale::order o;
    o.no = p.order;
    o.sale = p.sale;
    o.buyer = buyer;
    o.quantity = p.quantity;
    o.state = sale::order_state::queued;
    o.created_at = sale::issued_at(p.order);
    return o;
}

// Promises of the gate that the ledger does not have, and which are therefore still queued. This
// can be said only where `entered` is complete: down to its last number, or for all numbers if it
// has fewer orders than were asked for.
std::vector<sale::order> queued_among(const std::vector<promised>& gate, sale::user_id buyer,
                                      const std::vector<sale::order>& entered) {
    std::vector<sale::order> out;
    for (const promised& p : gate)
        if (std::ranges::find(entered, p.order, &sale::order::no) == entered.end())
            out.push_back(queued_order(buyer, p));
    return out;
}

}  // namespace

std::optional<sale::order> order_lookup::find_promised(sale::user_id buyer, sale::order_no no) {
    for (const promised& p : world_.turnstile.promised_to(buyer))
        if (p.order == no) return queued_order(buyer, p);
    return std::nullopt;
}

result<sale::order> order_lookup::find_entered(sale::user_id buyer, sale::order_no no) {
    auto found = world_.book.find(no);
    if (found && found->buyer != buyer) return errc::not_found;
    return found;
}

bool order_lookup::is_promised(sale::user_id buyer, sale::order_no no) {
    return find_promised(buyer, no).has_value();
}

bool order_lookup::is_queued(sale::user_id buyer, sale::order_no no) {
    return world_.recent.is_beyond_entries(no) && is_promised(buyer, no);
}

result<sale::order> order_lookup::find(sale::user_id buyer, sale::order_no no) {
    if (auto known = world_.recent.find(no); known && known->buyer == buyer)
        return *std::move(known);
    if (world_.recent.is_beyond_entries(no)) {
        if (auto queued = find_promised(buyer, no)) return *std::move(queued);
    }
    auto found = find_entered(buyer, no);
    if (found || found.error() != make_error_code(errc::not_found)) return found;
    if (auto queued = find_promised(buyer, no)) return *std::move(queued);
    // The order may have been entered and released between the two looks. Then the ledger has it
    // now.
    return find_entered(buyer, no);
}

result<std::vector<sale::order>> order_lookup::latest(sale::user_id buyer, sale::order_no before,
                                                      std::size_t count) {
    // Ask the gate first: an order that it releases afterwards is in the ledger by then.
    auto gate = world_.turnstile.promised_to(buyer);
    if (before.value != 0)
        std::erase_if(gate, [&](const promised& p) { return p.order >= before; });
    auto all = world_.book.of_buyer(buyer, before, count);
    if (!all) return all;
    for (sale::order& o : queued_among(gate, buyer, *all)) all->push_back(std::move(o));
    std::ranges::sort(*all, std::ranges::greater{}, &sale::order::no);
    if (all->size() > count) all->resize(count);
    return all;
}

}  // namespace floodgate::shop
