// The part of the inspection that is about the moves of orders: payments and events.

#include <fmt/format.h>

#include <optional>

#include "base/finding_list.hpp"
#include "ledger/inspection.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

struct payment_line {
    std::int64_t order = 0;
    std::string question, cause;
    std::optional<std::string> state;  // of its order; none: there is no such order
};

// What is wrong with a payment; empty if nothing is.
std::optional<std::string> oddity(const payment_line& p) {
    if (!p.state) return "there is no such order";
    const bool close = p.question == asks_close, refund = p.question == asks_refund;
    if (!close && !refund && !p.question.empty())
        return fmt::format("nobody can answer the question {}", p.question);
    if (close && *p.state != "unpaid")
        return fmt::format("it is to be closed, but the order is {}", *p.state);
    const bool gave_units_away = *p.state == "closed" || *p.state == "failed";  // late money
    if (refund && *p.state != "refunding" && !gave_units_away)
        return fmt::format("the order is {}, but its refund is asked for", *p.state);
    if (!refund && *p.state == "refunding")
        return "the order is refunding, but nobody asks for its refund";
    if (close && p.cause.empty()) return "it is to be closed, and nothing says why";
    return std::nullopt;
}

void inspect_payments(store::connection& c, findings& all) {
    finder trouble(all, "payment");
    auto rows = c.ask(
        "SELECT p.order_no, p.question, p.cause, o.state FROM payments p "
        "LEFT JOIN orders o ON o.order_no = p.order_no ORDER BY p.order_no");
    payment_line p;
    while (rows.next()) {
        rows.read(p.order, p.question, p.cause, p.state);
        if (const auto odd = oddity(p))
            trouble.add(fmt::format("payment of order {}: {}", p.order, *odd));
    }
}

// The last event of an order says what it is now. Orders that were only entered have none.
void inspect_events(store::connection& c, findings& all) {
    finder trouble(all, "event");
    auto rows = c.ask(
        "SELECT e.id, e.order_no, e.to_state, o.state FROM order_events e "
        "LEFT JOIN orders o ON o.order_no = e.order_no "
        "WHERE e.id IN (SELECT MAX(id) FROM order_events GROUP BY order_no) "
        "AND (o.state IS NULL OR o.state <> e.to_state) ORDER BY e.id");
    while (rows.next()) {
        std::int64_t id = 0, order = 0;
        std::string to;
        std::optional<std::string> state;
        rows.read(id, order, to, state);
        trouble.add(state ? fmt::format("order {}: is {}, but its last event {} left it {}", order,
                                        *state, id, to)
                          : fmt::format("event {}: there is no order {}", id, order));
    }
}

}  // namespace

void inspect_moves(store::connection& c, findings& all) {
    inspect_payments(c, all);
    inspect_events(c, all);
}

}  // namespace floodgate::ledger
