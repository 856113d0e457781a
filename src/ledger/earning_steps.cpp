// The pieces of moves that are about points which buyers earn.

#include <algorithm>
#include <map>

#include "ledger/earning_book.hpp"
#include "ledger/id_statement.hpp"
#include "ledger/move_steps.hpp"
#include "sale/catalogue.hpp"
#include "store/sql/insert_rows.hpp"

namespace floodgate::ledger {
namespace {

constexpr store::insert_shape earnings_shape{
    "earnings (order_no, buyer_id, points, state, paid_ms, due_ms)", 6};

using points_of_sales = std::map<sale::sale_id, sale::points>;

// Not locked: what the sale says at this moment counts.
points_of_sales read_points(store::connection& c, std::span<const paid_order> paid) {
    points_of_sales each;
    for (const paid_order& p : paid) each.emplace(p.order->sale, sale::points{});
    std::vector<sale::sale_id> sales;
    for (const auto& [id, points] : each) sales.push_back(id);
    const auto read = [&](store::row_cursor& rows) {
        while (rows.next()) each[rows.get<sale::sale_id>(0)] = rows.get<sale::points>(1);
    };
    ask_for_ids(c, "SELECT id, earns_points FROM sales WHERE id IN {}", sales, read);
    return each;
}

sale::points points_for(const sale::order& o, sale::points each) {
    const std::int64_t units = std::max<std::int64_t>(1, o.quantity);
    if (each.value > sale::points_max / units) return {sale::points_max};
    return {each.value * units};
}

}  // namespace

void add_earnings(store::connection& c, std::span<const paid_order> paid) {
    if (paid.empty()) return;
    const points_of_sales each = read_points(c, paid);
    std::vector<earning> added;
    for (const auto& [order, at] : paid) {
        const sale::points amount = points_for(*order, each.at(order->sale));
        if (amount.value <= 0) continue;
        added.push_back({.order = order->no,
                         .buyer = order->buyer,
                         .amount = amount,
                         .state = earning_state::owed,
                         .paid_at = at,
                         .due = at});
    }
    store::insert_rows(
        c, earnings_shape, std::span<const earning>(added),
        [](store::statement& s, int before, const earning& e) {
            store::bind_after(s, before, e.order, e.buyer, e.amount, to_text(e.state), e.paid_at,
                              e.due);
        },
        [](auto) {
            throw store::sql_error(store::sql_failure::corrupt,
                                   "points were earned before their order was paid");
        });
}

// Zero is no time at which anything else becomes due, so a job that has read the row before
// notices.
void call_in_earnings(store::connection& c, const order_list& orders) {
    run_for_ids(c,
                update_by_key(c, "earnings") +
                    " SET due_ms = 0 WHERE state IN ('owed', 'promised') AND order_no IN {}",
                orders);
}

}  // namespace floodgate::ledger
