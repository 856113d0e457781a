// The part of catalogue_book that is about sales and their stock.

#include "ledger/catalogue_book.hpp"
#include "ledger/catalogue_rows.hpp"
#include "ledger/conditions.hpp"
#include "ledger/guarded.hpp"
#include "ledger/stock_log.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using sale::sale_state;
using store::access;
using store::transaction;

bool may_move(sale_state from, sale_state to) {
    switch (to) {
    case sale_state::draft: return false;
    case sale_state::published: return from == sale_state::draft || from == sale_state::paused;
    case sale_state::paused: return from == sale_state::published;
    case sale_state::ended: return from != sale_state::ended;
    }
    return false;
}

bool exists(store::connection& c, std::string_view sql, std::int64_t id) {
    return c.ask(sql, id).next();
}

// The state of a sale that is about to be changed; it is locked until the transaction ends.
result<sale_state> take_state(store::connection& c, sale::sale_id id) {
    std::string sql = "SELECT state FROM sales WHERE id = ?";
    auto rows = c.ask(sql.append(c.speaks().for_update), id);
    if (!rows.next()) return errc::not_found;
    return sale::parse_sale_state(rows.asked().text(0)).value_or(sale_state::ended);
}

struct taken_figures {
    std::int64_t stock = 0, held = 0, revision = 0;
};

result<taken_figures> take_figures(store::connection& c, sale::sale_id id) {
    std::string sql = "SELECT stock, held, revision FROM sales WHERE id = ?";
    auto rows = c.ask(sql.append(c.speaks().for_update), id);
    if (!rows.next()) return errc::not_found;
    taken_figures f;
    rows.read(f.stock, f.held, f.revision);
    return f;
}

}  // namespace

result<sale::sale_id> catalogue_book::add_sale(const sale::sale& s, instant now,
                                               const audit_maker<sale::sale_id>& signed_by) {
    if (!makes_sense(s)) return errc::invalid;
    return guarded("catalogue.add_sale", [&]() -> result<sale::sale_id> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (!exists(*c, "SELECT id FROM products WHERE id = ?", s.product.value) ||
            !exists(*c, "SELECT id FROM rounds WHERE id = ?", s.round.value))
            return errc::not_found;
        stock_move first;
        first.sale = insert_sale(*c, s);
        first.kind = "created";
        first.stock_after = s.stock;
        first.at = now;
        if (signed_by) first.audit_id = write_audit(*c, signed_by(first.sale));
        write_move(*c, first);
        t.commit();
        return first.sale;
    });
}

result<void> catalogue_book::update_sale_terms(const sale::sale& s, const audit_note& line) {
    sale::sale terms = s;
    terms.stock = 0;  // not changed here, so it need not be valid
    if (!makes_sense(terms)) return errc::invalid;
    return guarded("catalogue.update_sale_terms", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (!rewrite_terms(*c, s)) return errc::not_found;
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

result<void> catalogue_book::set_sale_state(sale::sale_id id, sale_state to,
                                            const audit_note& line) {
    return guarded("catalogue.set_sale_state", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const auto from = take_state(*c, id);
        if (!from) return errc::not_found;
        if (*from == to && !line) return {};
        if (*from != to && !may_move(*from, to)) return errc::conflict;
        if (*from != to &&
            c->run("UPDATE sales SET state = ?, revision = revision + 1 WHERE id = ? AND state = ?",
                   to_text(to), id, to_text(*from)) == 0)
            return errc::conflict;
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

result<std::vector<sale::sale>> catalogue_book::sales() {
    return guarded("catalogue.sales", [&]() -> result<std::vector<sale::sale>> {
        const auto c = db_.reader();
        auto rows = c->ask(std::string(all_sales).append(" ORDER BY s.id"));
        std::vector<sale::sale> all;
        while (rows.next()) all.push_back(read_sale(rows));
        return all;
    });
}

result<std::vector<sale::sale>> catalogue_book::sales(sale::sale_id before, std::size_t limit,
                                                      const sale_filter& which) {
    return guarded("catalogue.sales", [&]() -> result<std::vector<sale::sale>> {
        conditions all;
        all.add("s.id < ?", before.value == 0 ? INT64_MAX : before.value);
        if (which.round.value != 0) all.add("s.round_id = ?", which.round.value);
        if (which.product.value != 0) all.add("s.product_id = ?", which.product.value);
        if (which.state) all.add("s.state = ?", std::string(to_text(*which.state)));
        if (!which.external_id.empty()) all.add("s.external_id = ?", which.external_id);
        const auto c = db_.reader();
        auto rows =
            all.ask(*c, all_sales, " ORDER BY s.id DESC LIMIT ?", static_cast<std::int64_t>(limit));
        std::vector<sale::sale> page;
        while (rows.next()) page.push_back(read_sale(rows));
        return page;
    });
}

result<sale::sale> catalogue_book::find_sale(sale::sale_id id) {
    return guarded("catalogue.find_sale", [&]() -> result<sale::sale> {
        const auto c = db_.reader();
        auto rows = c->ask(std::string(all_sales).append(" WHERE s.id = ?"), id);
        if (!rows.next()) return errc::not_found;
        return read_sale(rows);
    });
}

result<std::int64_t> catalogue_book::change_stock(sale::sale_id id, std::int64_t delta,
                                                  const std::string& note, instant now,
                                                  const audit_maker<std::int64_t>& signed_by,
                                                  std::optional<std::int64_t> only_at) {
    return guarded("catalogue.change_stock", [&]() -> result<std::int64_t> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const auto before = take_figures(*c, id);
        if (!before) return errc::not_found;
        if (only_at && before->revision != *only_at) return errc::conflict;
        if (delta > sale::stock_max - before->stock) return errc::invalid;
        if (delta == 0) return before->stock;
        const std::int64_t after = before->stock + delta, held = before->held;
        if (c->run("UPDATE sales SET stock = ?, revision = revision + 1 WHERE id = ? AND stock = ? "
                   "AND held <= ?",
                   after, id, before->stock, after) == 0)
            return errc::conflict;
        const char* kind = delta > 0 ? "added" : "removed";
        const std::int64_t line = signed_by ? write_audit(*c, signed_by(after)) : 0;
        write_move(*c, {0, id, kind, before->stock, after, held, held, note, now, line});
        t.commit();
        return after;
    });
}

result<std::vector<sale_figures>> catalogue_book::figures() {
    return guarded("catalogue.figures", [&]() -> result<std::vector<sale_figures>> {
        const auto c = db_.reader();
        auto rows = c->ask("SELECT id, stock, held FROM sales ORDER BY id");
        std::vector<sale_figures> all;
        while (rows.next()) {
            sale_figures& f = all.emplace_back();
            rows.read(f.sale, f.stock, f.held);
        }
        return all;
    });
}

result<sale_figures> catalogue_book::find_figures(sale::sale_id id) {
    return guarded("catalogue.find_figures", [&]() -> result<sale_figures> {
        const auto c = db_.reader();
        auto rows = c->ask("SELECT id, stock, held FROM sales WHERE id = ?", id);
        if (!rows.next()) return errc::not_found;
        sale_figures f;
        rows.read(f.sale, f.stock, f.held);
        return f;
    });
}

result<std::vector<stock_move>> catalogue_book::stock_log(sale::sale_id id, std::size_t limit,
                                                          std::int64_t before) {
    return guarded("catalogue.stock_log", [&]() -> result<std::vector<stock_move>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT id, sale_id, kind, stock_before, stock_after, held_before, held_after, note, "
            "at_ms FROM stock_log WHERE sale_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
            id, before == 0 ? INT64_MAX : before, limit);
        std::vector<stock_move> moves;
        while (rows.next()) {
            stock_move& m = moves.emplace_back();
            rows.read(m.id, m.sale, m.kind, m.stock_before, m.stock_after, m.held_before,
                      m.held_after, m.note, m.at);
        }
        return moves;
    });
}

}  // namespace floodgate::ledger
