#include "ledger/catalogue_book.hpp"

#include <map>
#include <optional>

#include "ledger/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

constexpr std::string_view newest_below = "WHERE id < ? ORDER BY id DESC LIMIT ?";

template <class Id>
Id below(Id before) {
    return before.value == 0 ? Id{INT64_MAX} : before;
}

void add_pictures(store::connection& c, sale::product_id id, const sale::product& p) {
    std::int64_t place = 0;
    for (const std::string& address : p.pictures) {
        c.run("INSERT INTO product_pictures (product_id, place, address) VALUES (?, ?, ?)", id,
              ++place, address);
    }
}

void hang_pictures(store::connection& c, std::vector<sale::product>& products) {
    if (products.empty()) return;
    std::map<sale::product_id, sale::product*> by_id;
    for (sale::product& p : products) by_id.emplace(p.id, &p);
    auto rows = c.ask(
        "SELECT product_id, address FROM product_pictures WHERE product_id BETWEEN ? AND ? "
        "ORDER BY product_id, place",
        by_id.begin()->first, by_id.rbegin()->first);
    while (rows.next()) {
        const auto at = by_id.find(rows.get<sale::product_id>(0));
        if (at != by_id.end()) at->second->pictures.push_back(rows.get<std::string>(1));
    }
}

// `which` follows the table's name: a condition, an order, a limit.
template <class... Values>
std::vector<sale::product> read_products(store::connection& c, std::string_view which,
                                         const Values&... values) {
    const transaction t(c, access::read);  // one view of both tables
    std::string sql = "SELECT id, title, description, list_price_fen FROM products ";
    std::vector<sale::product> found;
    auto rows = c.ask(sql.append(which), values...);
    while (rows.next()) {
        sale::product& p = found.emplace_back();
        rows.read(p.id, p.title, p.description, p.list_price);
    }
    hang_pictures(c, found);
    return found;
}

template <class... Values>
std::vector<sale::round> read_rounds(store::connection& c, std::string_view which,
                                     const Values&... values) {
    std::string sql = "SELECT id, title, starts_ms, ends_ms FROM rounds ";
    std::vector<sale::round> found;
    auto rows = c.ask(sql.append(which), values...);
    while (rows.next()) {
        sale::round& r = found.emplace_back();
        rows.read(r.id, r.title, r.starts_at, r.ends_at);
    }
    return found;
}

template <class T>
result<T> only(std::vector<T> found) {
    if (found.empty()) return errc::not_found;
    return std::move(found.front());
}

struct window {
    instant starts_at, ends_at;
    friend bool operator==(const window&, const window&) = default;
};

// Locks the round until the transaction ends.
std::optional<window> take_window(store::connection& c, sale::round_id id) {
    std::string sql = "SELECT starts_ms, ends_ms FROM rounds WHERE id = ?";
    auto rows = c.ask(sql.append(c.speaks().for_update), id);
    if (!rows.next()) return std::nullopt;
    window w;
    rows.read(w.starts_at, w.ends_at);
    return w;
}

bool makes_sense(const sale::round& r) { return r.starts_at < r.ends_at; }

}  // namespace

result<sale::product_id> catalogue_book::add_product(
    const sale::product& p, const audit_maker<sale::product_id>& signed_by) {
    return guarded("catalogue.add_product", [&]() -> result<sale::product_id> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        c->run("INSERT INTO products (title, description, list_price_fen) VALUES (?, ?, ?)",
               p.title, p.description, p.list_price);
        const sale::product_id id{c->last_insert_id()};
        add_pictures(*c, id, p);
        if (signed_by) write_audit(*c, signed_by(id));
        t.commit();
        return id;
    });
}

result<void> catalogue_book::update_product(const sale::product& p, const audit_note& line) {
    return guarded("catalogue.update_product", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (c->run(
                "UPDATE products SET title = ?, description = ?, list_price_fen = ? WHERE id = ?",
                p.title, p.description, p.list_price, p.id) == 0)
            return errc::not_found;
        c->run("DELETE FROM product_pictures WHERE product_id = ?", p.id);
        add_pictures(*c, p.id, p);
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

result<std::vector<sale::product>> catalogue_book::products() {
    return guarded("catalogue.products", [&]() -> result<std::vector<sale::product>> {
        return read_products(*db_.reader(), "ORDER BY id");
    });
}

result<std::vector<sale::product>> catalogue_book::products(sale::product_id before,
                                                            std::size_t limit) {
    return guarded("catalogue.products", [&]() -> result<std::vector<sale::product>> {
        return read_products(*db_.reader(), newest_below, below(before), limit);
    });
}

result<sale::product> catalogue_book::find_product(sale::product_id id) {
    return guarded("catalogue.find_product", [&]() -> result<sale::product> {
        return only(read_products(*db_.reader(), "WHERE id = ?", id));
    });
}

result<sale::round_id> catalogue_book::add_round(const sale::round& r,
                                                 const audit_maker<sale::round_id>& signed_by) {
    if (!makes_sense(r)) return errc::invalid;
    return guarded("catalogue.add_round", [&]() -> result<sale::round_id> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        c->run("INSERT INTO rounds (title, starts_ms, ends_ms) VALUES (?, ?, ?)", r.title,
               r.starts_at, r.ends_at);
        const sale::round_id id{c->last_insert_id()};
        if (signed_by) write_audit(*c, signed_by(id));
        t.commit();
        return id;
    });
}

result<void> catalogue_book::update_round(const sale::round& r, const audit_note& line) {
    if (!makes_sense(r)) return errc::invalid;
    return guarded("catalogue.update_round", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const auto before = take_window(*c, r.id);
        if (!before) return errc::not_found;
        c->run("UPDATE rounds SET title = ?, starts_ms = ?, ends_ms = ? WHERE id = ?", r.title,
               r.starts_at, r.ends_at, r.id);
        if (*before != window{r.starts_at, r.ends_at})
            c->run("UPDATE sales SET revision = revision + 1 WHERE round_id = ?", r.id);
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

result<std::vector<sale::round>> catalogue_book::rounds() {
    return guarded("catalogue.rounds", [&]() -> result<std::vector<sale::round>> {
        return read_rounds(*db_.reader(), "ORDER BY id");
    });
}

result<std::vector<sale::round>> catalogue_book::rounds(sale::round_id before, std::size_t limit) {
    return guarded("catalogue.rounds", [&]() -> result<std::vector<sale::round>> {
        return read_rounds(*db_.reader(), newest_below, below(before), limit);
    });
}

result<sale::round> catalogue_book::find_round(sale::round_id id) {
    return guarded("catalogue.find_round", [&]() -> result<sale::round> {
        return only(read_rounds(*db_.reader(), "WHERE id = ?", id));
    });
}

}  // namespace floodgate::ledger
