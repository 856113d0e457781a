#include "ledger/tally_book.hpp"

#include <algorithm>

#include "ledger/guarded.hpp"
#include "ledger/inspection.hpp"
#include "ledger/journal_position.hpp"
#include "ledger/letter_payload.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

std::vector<sale_tally> read_sales(store::connection& c) {
    auto rows = c.ask(
        "SELECT s.id, s.stock, s.held, l.stock_after, l.held_after FROM sales s LEFT JOIN "
        "stock_log l ON l.id = (SELECT MAX(id) FROM stock_log WHERE sale_id = s.id) ORDER BY s.id");
    std::vector<sale_tally> sales;
    while (rows.next()) {
        sale_tally& s = sales.emplace_back();
        rows.read(s.sale, s.stock, s.held, s.log_stock, s.log_held);
    }
    return sales;
}

// The line of this sale; none when there is no such sale.
sale_tally* line_of(std::vector<sale_tally>& sales, sale::sale_id id) {
    const auto found = std::ranges::lower_bound(sales, id, {}, &sale_tally::sale);
    return found != sales.end() && found->sale == id ? &*found : nullptr;
}

// Where units in this state are counted. Null for an unknown state, so that the sale does not add
// up.
std::int64_t* place_of(sale_tally& s, std::string_view word) {
    const auto state = sale::parse_order_state(word);
    if (!state) return nullptr;
    switch (*state) {
    case sale::order_state::queued: return nullptr;
    case sale::order_state::unpaid: return &s.unpaid;
    case sale::order_state::paid: return &s.paid;
    case sale::order_state::refunding: return &s.refunding;
    case sale::order_state::refunded: return &s.refunded;
    case sale::order_state::closed: return &s.closed;
    case sale::order_state::failed: return &s.failed;
    }
    return nullptr;
}

void count_orders(store::connection& c, std::vector<sale_tally>& sales) {
    auto rows = c.ask("SELECT sale_id, state, SUM(quantity) FROM orders GROUP BY sale_id, state");
    while (rows.next()) {
        sale_tally* s = line_of(sales, rows.get<sale::sale_id>(0));
        if (s == nullptr) continue;
        if (std::int64_t* units = place_of(*s, rows.asked().text(1)))
            *units = rows.get<std::int64_t>(2);
    }
}

void count_letters(store::connection& c, std::vector<sale_tally>& sales) {
    auto rows = c.ask(
        "SELECT sale_id, SUM(units) FROM letters WHERE state IN ('waiting', 'dead') GROUP BY "
        "sale_id");
    while (rows.next())
        if (sale_tally* s = line_of(sales, rows.get<sale::sale_id>(0)))
            s->letters = rows.get<std::int64_t>(1);
}

// In order of number. A letter whose order is in the ledger is left out, because the order counts.
std::vector<held_order> open_letters(store::connection& c, sale::sale_id id) {
    auto rows = c.ask(
        "SELECT l.order_no, l.sale_id, l.units, l.payload FROM letters l LEFT JOIN orders o ON "
        "o.order_no = l.order_no WHERE l.sale_id = ? AND l.state IN ('waiting', 'dead') AND "
        "o.order_no IS NULL ORDER BY l.order_no",
        id);
    std::vector<held_order> all;
    while (rows.next()) {
        letter_key key;
        rows.read(key.order, key.sale, key.units);
        held_order& o = all.emplace_back();
        o.no = key.order;
        o.sale = key.sale;
        o.quantity = static_cast<std::uint32_t>(key.units);
        if (const auto p = promise_in(rows.asked().bytes(3), key)) {
            o.buyer = p->buyer;
            o.key = p->key;
        }
    }
    return all;
}

}  // namespace

result<tally> tally_book::take() {
    return guarded("tallies.take", [&]() -> result<tally> {
        const auto c = db_.reader();
        transaction t(*c, access::read);  // one view of all tables
        tally all{positions_in(*c), read_sales(*c)};
        count_orders(*c, all.sales);
        count_letters(*c, all.sales);
        return all;
    });
}

result<findings> tally_book::explain(sale::sale_id id) {
    return guarded("tallies.explain", [&]() -> result<findings> {
        const auto c = db_.reader();
        transaction t(*c, access::read);
        if (!c->ask("SELECT id FROM sales WHERE id = ?", id).next()) return errc::not_found;
        return inspect(*c, id);
    });
}

result<bool> tally_book::is_settled(sale::sale_id id) {
    return guarded("tallies.is_settled", [&]() -> result<bool> {
        const auto c = db_.reader();
        return !c->ask("SELECT 1 FROM orders WHERE sale_id = ? AND state = 'unpaid' LIMIT 1", id)
                    .next() &&
               !c->ask(
                     "SELECT 1 FROM letters WHERE sale_id = ? AND state IN ('waiting', 'dead') "
                     "LIMIT 1",
                     id)
                    .next();
    });
}

result<bool> tally_book::was_sold(sale::sale_id id) {
    return guarded("tallies.was_sold", [&]() -> result<bool> {
        const auto c = db_.reader();
        return c->ask("SELECT 1 FROM orders WHERE sale_id = ? LIMIT 1", id).next() ||
               c->ask("SELECT 1 FROM letters WHERE sale_id = ? LIMIT 1", id).next();
    });
}

result<void> tally_book::for_each_held(sale::sale_id id,
                                       const std::function<void(const held_order&)>& visit) {
    return guarded_visit("tallies.for_each_held", [&]() -> result<void> {
        const auto c = db_.reader();
        transaction t(*c, access::read);
        const std::vector<held_order> letters = open_letters(*c, id);
        auto letter = letters.begin();
        auto rows = c->ask(
            "SELECT order_no, sale_id, buyer_id, quantity, idempotency_key FROM orders WHERE "
            "sale_id = ? AND state IN ('unpaid', 'paid', 'refunding') ORDER BY order_no",
            id);
        held_order o;
        while (rows.next()) {
            rows.read(o.no, o.sale, o.buyer, o.quantity, o.key);
            while (letter != letters.end() && letter->no < o.no) visit(*letter++);
            visit(o);
        }
        while (letter != letters.end()) visit(*letter++);
        return {};
    });
}

}  // namespace floodgate::ledger
