#include "ledger/entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ledger/feed_log.hpp"
#include "ledger/stock_log.hpp"
#include "store/sql/insert_rows.hpp"

namespace floodgate::ledger {
namespace {

constexpr store::insert_shape orders_shape{
    "orders (order_no, sale_id, buyer_id, quantity, amount_fen, amount_points, state, reason, "
    "created_ms, pay_by_ms, idempotency_key, mark)",
    12};

constexpr sale::order_no known_order{0};  // replaces the number of an order that leaves the report

constexpr const char *unknown_sale = "unknown_sale", *no_stock = "no_stock",
                     *limit_reached = "limit_reached";

using mark = std::optional<std::uint64_t>;  // none: the order holds no stock

void bind_order(store::statement& s, int before, const sale::order& o,
                const sale::idempotency_key& key, mark m) {
    store::bind_after(s, before, o.no, o.sale, o.buyer, o.quantity, o.amount, o.amount_points,
                      to_text(o.state), std::string_view(o.reason), o.created_at, o.pay_by);
    if (key == sale::no_key) {
        s.bind_null(before + 11);
    } else {
        s.bind(before + 11, byte_view(key));
    }
    store::bind_value(s, before + 12, m);
}

// False, with nothing changed, when the order number or the buyer's place in the sale is taken.
bool insert_order(store::connection& c, const sale::order& o, const sale::idempotency_key& key,
                  mark m) {
    bool inserted = true;
    store::insert_rows(
        c, orders_shape, std::span(&o, 1),
        [&](store::statement& s, int before, const sale::order& one) {
            bind_order(s, before, one, key, m);
        },
        [&](auto) { inserted = false; });
    return inserted;
}

void fail(sale::order& o, const char* reason) {
    o.state = sale::order_state::failed;
    o.reason = reason;
}

// Adds those numbers that `table` has. The statement has a fixed number of places; the last number
// is repeated in those that are left.
void find_numbers(store::connection& c, const std::string& table,
                  std::span<const sale::promise> some, std::set<sale::order_no>& found) {
    constexpr std::size_t at_once = 64;
    std::string sql = "SELECT order_no FROM " + table + " WHERE order_no IN (?";
    for (std::size_t i = 1; i < at_once; ++i) sql += ",?";
    sql += ")";
    for (; !some.empty(); some = some.subspan(std::min(at_once, some.size()))) {
        store::row_cursor rows(c.cached(sql));
        for (std::size_t i = 0; i < at_once; ++i)
            store::bind_value(rows.asked(), static_cast<int>(i) + 1,
                              some[std::min(i, some.size() - 1)].order);
        while (rows.next()) found.insert(rows.get<sale::order_no>(0));
    }
}

}  // namespace

void lock_sales(store::connection& c, std::span<const sale::promise> batch) {
    std::set<sale::sale_id> sales;
    for (const sale::promise& p : batch) sales.insert(p.sale);
    std::string sql = "SELECT id FROM sales WHERE id = ?";
    sql += c.speaks().for_update;
    for (const sale::sale_id id : sales) c.ask(sql, id).next();
}

std::set<sale::order_no> known_numbers(store::connection& c, std::span<const sale::promise> batch) {
    std::set<sale::order_no> found;
    find_numbers(c, "orders", batch, found);
    find_numbers(c, "letters", batch, found);
    return found;
}

bool book_failed(store::connection& c, const sale::promise& p, const char* reason) {
    sale::order o = sale::order_from(p);
    fail(o, reason);
    return insert_order(c, o, p.key, {});
}

// The unique key on (sale, buyer, mark) then allows a buyer one order with mark 0.
std::uint64_t mark_for(sale::order_no no, std::int64_t limit) { return limit == 1 ? 0 : no.value; }

entry_report entry::run(std::span<const sale::promise> batch) {
    gather(batch);
    for (auto& [id, s] : shares_) reserve(id, s);
    for (const row& r : rows_) r.order->pay_by = deadline(r);

    const auto careful = std::stable_partition(rows_.begin(), rows_.end(), [](const row& r) {
        return r.of->reserved && r.of->limit == 1 && r.promise->quantity == 1;
    });
    place_swiftly({rows_.begin(), careful});
    std::for_each(careful, rows_.end(), [this](const row& r) { place(r); });

    for (const auto& [id, s] : shares_) settle(id, s);
    if (report_.known > 0)
        std::erase_if(report_.orders, [](const sale::order& o) { return o.no == known_order; });
    instant at = pay_from_;
    for (const auto& [id, s] : shares_) at = std::max(at, s.at);
    log_entries(connection_, report_.orders, at);
    return std::move(report_);
}

void entry::gather(std::span<const sale::promise> batch) {
    rows_.reserve(batch.size());
    report_.orders.reserve(batch.size());  // rows_ points into it
    for (const sale::promise& p : batch) {
        share& s = shares_[p.sale];
        s.first = s.units == 0 ? p.order : std::min(s.first, p.order);
        s.last = std::max(s.last, p.order);
        s.units += p.quantity;
        s.at = std::max(s.at, p.at);
        sale::order& o = report_.orders.emplace_back(sale::order_from(p));
        o.state = sale::order_state::unpaid;
        rows_.push_back({&p, &o, &s});
    }
}

void entry::reserve(sale::sale_id id, share& s) {
    s.reserved = take(id, s.units);
    // The row is locked even if no unit could be taken, because the log lines and the sum of a
    // buyer's units rely on these figures.
    std::string sql = "SELECT stock, held, buyer_limit_peak, pay_within_s FROM sales WHERE id = ?";
    auto rows = connection_.ask(sql.append(connection_.speaks().for_update), id);
    s.known = rows.next();
    if (!s.known) return;
    std::int64_t held = 0, pay_within_s = 0;
    rows.read(s.stock, held, s.limit, pay_within_s);
    s.held_before = s.reserved ? held - s.units : held;
    s.pay_within = std::chrono::seconds(pay_within_s);
}

// The usual case: insert without checking first; the unique keys find what is wrong.
void entry::place_swiftly(std::span<const row> rows) {
    for (const row& r : rows) count(r, +1);
    store::insert_rows(
        connection_, orders_shape, rows,
        [](store::statement& s, int before, const row& r) {
            bind_order(s, before, *r.order, r.promise->key, 0);
        },
        [&](std::span<const row> clash) {
            for (const row& r : clash) count(r, -1);
            for (const row& r : clash) place(r);
        });
}

// Checks the limit before the stock, as the gate does: already ordered before sold out.
void entry::place(const row& r) {
    const sale::promise& p = *r.promise;
    share& s = *r.of;
    if (!s.known) return refuse(r, unknown_sale);
    if (units_of_buyer(p) + p.quantity > s.limit) return refuse(r, limit_reached);
    if (!s.reserved && !take(p.sale, p.quantity)) return refuse(r, no_stock);
    if (insert_order(connection_, *r.order, p.key, mark_for(p.order, s.limit))) return count(r, +1);
    if (!s.reserved) give_back(p.sale, p.quantity);
    refuse(r, limit_reached);
}

// A promise that the ledger has already is not refused: it was entered or refused before.
void entry::refuse(const row& r, const char* reason) {
    fail(*r.order, reason);
    if (!insert_order(connection_, *r.order, r.promise->key, {})) {
        ++report_.known;
        r.order->no = known_order;
        return;
    }
    ++r.of->refused;
    ++report_.refused;
}

void entry::settle(sale::sale_id id, const share& s) {
    if (s.reserved && s.placed < s.units) give_back(id, s.units - s.placed);
    if (!s.known) return;
    stock_move move{0,
                    id,
                    "entered",
                    s.stock,
                    s.stock,
                    s.held_before,
                    s.held_before + s.placed,
                    fmt::format("orders {} to {}", s.first.value, s.last.value),
                    s.at};
    if (s.placed > 0) write_move(connection_, move);
    if (s.refused == 0) return;
    move.kind = "failed";
    move.held_before = move.held_after;
    move.note = fmt::format("{} refused, {}", s.refused, move.note);
    write_move(connection_, move);
}

instant entry::deadline(const row& r) const {
    return std::max(r.promise->at, pay_from_) + r.of->pay_within;
}

// Forces the unique key (buyer, sale, mark), which databases name after its first column. Otherwise
// MariaDB may read all orders of the buyer, for every promise of a batch.
std::int64_t entry::units_of_buyer(const sale::promise& p) {
    const std::string hint = fmt::format(fmt::runtime(connection_.speaks().by_index), "buyer_id");
    auto rows = connection_.ask("SELECT SUM(quantity) FROM orders" + hint +
                                    " WHERE sale_id = ? AND buyer_id = ? AND mark IS NOT NULL",
                                p.sale, p.buyer);
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

bool entry::take(sale::sale_id id, std::int64_t units) {
    return connection_.run("UPDATE sales SET held = held + ? WHERE id = ? AND held + ? <= stock",
                           units, id, units) == 1;
}

void entry::give_back(sale::sale_id id, std::int64_t units) {
    connection_.run("UPDATE sales SET held = held - ? WHERE id = ?", units, id);
}

void entry::count(const row& r, int sign) {
    r.of->placed += sign * std::int64_t{r.promise->quantity};
    report_.entered += static_cast<std::size_t>(sign);
}

}  // namespace floodgate::ledger
