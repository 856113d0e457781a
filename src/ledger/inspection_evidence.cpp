// The part of the inspection that looks for the evidence of an order's state: every state after the
// entry needs its event, and money that was taken or given back needs its payment.

#include <algorithm>
#include <optional>
#include <vector>

#include "base/finding_list.hpp"
#include "ledger/inspection.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

// An order that has moved, and what was found of it. About 64 bytes each.
struct moved_order {
    std::uint64_t no = 0;
    std::string state;
    bool has_payment = false;
    bool has_its_event = false, has_been_paid = false;

    bool is_about_money() const { return state != "closed"; }
};

std::vector<moved_order> moved_orders(store::connection& c, std::optional<sale::sale_id> sale) {
    const std::string select =
        "SELECT o.order_no, o.state, t.order_no FROM orders o LEFT JOIN trades t ON t.order_no = "
        "o.order_no AND t.state = 'paid' WHERE o.state IN ('paid', 'refunding', 'refunded', "
        "'closed')";
    const std::string order = " ORDER BY o.order_no";
    auto rows = sale ? c.ask(select + " AND o.sale_id = ?" + order, *sale) : c.ask(select + order);
    std::vector<moved_order> found;
    while (rows.next()) {
        // Two paid trades of one order: inspect_moves names them.
        if (!found.empty() && found.back().no == rows.get<std::uint64_t>(0)) continue;
        moved_order& o = found.emplace_back();
        std::optional<std::uint64_t> payment;
        rows.read(o.no, o.state, payment);
        o.has_payment = payment.has_value();
    }
    return found;
}

// Runs after the orders were read: if others write meanwhile, an order may have gained events, but
// it cannot have lost any.
void look_for_events(store::connection& c, std::optional<sale::sale_id> sale,
                     std::vector<moved_order>& orders) {
    const std::string select = "SELECT order_no, to_state FROM order_events";
    auto rows = sale ? c.ask(select + " WHERE sale_id = ?", *sale) : c.ask(select);
    while (rows.next()) {
        const auto found =
            std::ranges::lower_bound(orders, rows.get<std::uint64_t>(0), {}, &moved_order::no);
        if (found == orders.end() || found->no != rows.get<std::uint64_t>(0)) continue;
        const std::string_view to = rows.asked().text(1);
        if (to == found->state) found->has_its_event = true;
        if (to == "paid") found->has_been_paid = true;
    }
}

}  // namespace

void inspect_evidence(store::connection& c, std::optional<sale::sale_id> sale, findings& all) {
    finder trouble(all, "state");
    auto orders = moved_orders(c, sale);
    if (orders.empty()) return;
    look_for_events(c, sale, orders);
    for (const moved_order& o : orders) {
        if (!o.has_its_event)
            trouble.add(fmt::format("order {}: is {}, but no event says so", o.no, o.state));
        else if (o.is_about_money() && !o.has_been_paid)
            trouble.add(
                fmt::format("order {}: is {}, but no event says that it was paid", o.no, o.state));
        if (o.is_about_money() && !o.has_payment)
            trouble.add(fmt::format("order {}: is {}, but there is no payment", o.no, o.state));
    }
}

}  // namespace floodgate::ledger
