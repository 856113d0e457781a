// The part of the inspection that is about points which buyers earn: do they fit their orders?

#include <fmt/format.h>

#include <optional>

#include "base/finding_list.hpp"
#include "ledger/inspection.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

struct earning_line {
    std::int64_t no = 0, buyer = 0, points = 0;
    std::string state;
    std::optional<std::string> order_state;
    std::int64_t order_buyer = 0;
    std::optional<std::int64_t> paid_fen;  // in money
};

// What is wrong with it; empty if nothing is. Points that are gone prove nothing about the order:
// the account may have been full.
std::string oddity(const earning_line& e) {
    if (!e.order_state) return "there is no such order";
    if (e.state != "owed" && e.state != "promised" && e.state != "given" && e.state != "gone")
        return fmt::format("{} is no state", e.state);
    if (e.points < 1) return fmt::format("they are {}", e.points);
    if (e.buyer != e.order_buyer)
        return fmt::format("they are of buyer {}, but the order is of {}", e.buyer, e.order_buyer);
    if (*e.order_state != "paid" && *e.order_state != "refunding" && *e.order_state != "refunded")
        return fmt::format("the order is {}", *e.order_state);
    if (e.paid_fen.value_or(0) < 1) return "the order was not paid with money";
    return {};
}

}  // namespace

void inspect_earnings(store::connection& c, findings& all) {
    finder trouble(all, "earning");
    auto rows = c.ask(
        "SELECT e.order_no, e.buyer_id, e.points, e.state, o.state, o.buyer_id, t.amount_fen FROM "
        "earnings e LEFT JOIN orders o ON o.order_no = e.order_no LEFT JOIN trades t ON t.order_no "
        "= e.order_no AND t.state = 'paid' ORDER BY e.order_no");
    while (rows.next()) {
        earning_line e;
        rows.read(e.no, e.buyer, e.points, e.state, e.order_state, e.order_buyer, e.paid_fen);
        if (const auto odd = oddity(e); !odd.empty())
            trouble.add(fmt::format("points earned with order {}: {}", e.no, odd));
    }
}

}  // namespace floodgate::ledger
