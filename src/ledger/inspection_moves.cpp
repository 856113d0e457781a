// The part of the inspection that is about the moves of orders: payments and events.

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>

#include "base/finding_list.hpp"
#include "ledger/inspection.hpp"
#include "ledger/order_row.hpp"
#include "ledger/refund_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

// A check of many millions of orders must not need more memory than one of a few.
constexpr std::size_t page_orders = 1000;

// Those whose number is above `after`, up to `last`.
struct order_range {
    std::int64_t after = std::numeric_limits<std::int64_t>::min();
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

struct order_line {
    std::int64_t no = 0;
    std::string state, closing;
    std::int64_t refunded = 0;
    std::int64_t open = 0, asked = 0, paid = 0, extra = 0, paid_fen = 0;  // its trades
    // Its refunds: those of the order's own money that are still asked for, what they gave back,
    // and those of extra money.
    std::int64_t refunding = 0, given_back = 0, extra_refunds = 0;
};

// What is wrong with the money of an order; empty if nothing is.
std::string oddity(const order_line& o) {
    const bool took_money = o.state == "paid" || o.state == "refunding" || o.state == "refunded";
    if (o.paid > 1) return fmt::format("{} trades say that it was paid with them", o.paid);
    if (o.paid == 1 && !took_money) return fmt::format("a trade is paid, but it is {}", o.state);
    if (!o.closing.empty() && o.state != "unpaid")
        return fmt::format("it is being closed, but it is {}", o.state);
    if (!o.closing.empty() && o.closing != "cancelled" && o.closing != "timed_out")
        return fmt::format("it is being closed, and nobody knows why: {}", o.closing);
    if (!o.closing.empty() && o.asked == 0) return "it is being closed, but nobody asks a channel";
    if (o.state == "unpaid" && o.closing.empty() && o.asked > 0)
        return "a trade is to be closed, but the order is not being closed";
    if (o.open > 0 && (o.state == "closed" || o.state == "failed"))
        return fmt::format("it is {}, but a trade is open", o.state);
    if (o.open > o.asked && took_money) return "it is paid, but nobody closes another trade";
    if (o.extra != o.extra_refunds)
        return fmt::format("{} trades brought money too much, but {} of it go back", o.extra,
                           o.extra_refunds);
    if ((o.state == "refunding") != (o.refunding > 0))
        return o.refunding > 0 ? fmt::format("it is {}, but its refund is asked for", o.state)
                               : "it is refunding, but nobody asks for its refund";
    if (o.refunding > 1) return "two refunds of it are asked for";
    if (o.refunded != o.given_back)
        return fmt::format("{} fen were given back, but its refunds say {}", o.refunded,
                           o.given_back);
    if (o.state == "refunded" && o.refunded != o.paid_fen)
        return fmt::format("it is refunded, but {} of {} fen were given back", o.refunded,
                           o.paid_fen);
    if (o.refunded > o.paid_fen) return "more was given back than was paid";
    return {};
}

using order_lines = std::map<std::int64_t, order_line>;

// The next orders that have trades or refunds, by number.
order_lines orders_with_money(store::connection& c, std::int64_t after) {
    order_lines page;
    auto rows = c.ask(
        "SELECT o.order_no, o.state, o.closing, o.refunded_fen FROM orders o "
        "WHERE o.order_no > ? AND (o.closing <> '' "
        "OR o.refunds > 0 OR o.state IN ('refunding', 'refunded') "
        "OR EXISTS (SELECT 1 FROM trades t WHERE t.order_no = o.order_no) "
        "OR EXISTS (SELECT 1 FROM refunds r WHERE r.order_no = o.order_no)) "
        "ORDER BY o.order_no LIMIT ?",
        after, page_orders);
    while (rows.next()) {
        order_line o;
        rows.read(o.no, o.state, o.closing, o.refunded);
        page.emplace(o.no, o);
    }
    return page;
}

void add_trades(store::connection& c, const order_range& of, order_lines& page, finder& trouble) {
    auto trades = c.ask(
        "SELECT order_no, method, state, asked, amount_fen FROM trades "
        "WHERE order_no > ? AND order_no <= ? ORDER BY order_no, method",
        of.after, of.last);
    while (trades.next()) {
        std::int64_t no = 0, asked = 0, amount = 0;
        std::string method, state;
        trades.read(no, method, state, asked, amount);
        const auto found = page.find(no);
        if (found == page.end()) {
            trouble.add(fmt::format("trade of order {}: there is no such order", no));
            continue;
        }
        order_line& o = found->second;
        if (state == "open") {
            ++o.open;
            o.asked += asked;
        } else if (asked != 0) {
            trouble.add(fmt::format("trade of order {} with {}: it is {}, but is to be closed", no,
                                    method, state));
        }
        if (state == "paid") ++o.paid, o.paid_fen = amount;
        if (state == "extra") ++o.extra;
        if (state != "open" && state != "paid" && state != "extra" && state != "closed")
            trouble.add(
                fmt::format("trade of order {} with {}: {} is no state", no, method, state));
    }
}

bool is_cause(std::string_view word) {
    for (const auto c :
         {refund_cause::buyer, refund_cause::admin, refund_cause::late, refund_cause::twice})
        if (word == to_text(c)) return true;
    return false;
}

void add_refunds(store::connection& c, const order_range& of, order_lines& page, finder& trouble) {
    auto rows = c.ask(
        "SELECT refund_no, order_no, cause, state, amount_fen FROM refunds "
        "WHERE order_no > ? AND order_no <= ? ORDER BY order_no, refund_no",
        of.after, of.last);
    while (rows.next()) {
        std::string number, cause, state;
        std::int64_t no = 0, amount = 0;
        rows.read(number, no, cause, state, amount);
        const auto found = page.find(no);
        if (found == page.end()) {
            trouble.add(fmt::format("refund {}: there is no such order", number));
        } else if (state != refund_is_asked && state != refund_is_done) {
            trouble.add(fmt::format("refund {}: {} is no state", number, state));
        } else if (!is_cause(cause)) {
            trouble.add(fmt::format("refund {}: {} is no cause", number, cause));
        } else if (cause == "late" || cause == "twice") {
            ++found->second.extra_refunds;
        } else if (state == refund_is_asked) {
            ++found->second.refunding;
        } else {
            found->second.given_back += amount;
        }
    }
}

void inspect_payments(store::connection& c, findings& all) {
    finder trouble(all, "payment");
    order_range of;
    for (bool more = true; more; of.after = of.last) {
        order_lines page = orders_with_money(c, of.after);
        more = page.size() == page_orders;
        // Also what belongs to no order lies between two pages or after the last.
        of.last = more ? page.rbegin()->first : order_range().last;
        add_trades(c, of, page, trouble);
        add_refunds(c, of, page, trouble);
        for (const auto& [no, order] : page)
            if (const auto odd = oddity(order); !odd.empty())
                trouble.add(fmt::format("payment of order {}: {}", no, odd));
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
