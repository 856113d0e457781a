#include "ledger/catalogue_book.hpp"

#include <algorithm>
#include <optional>

#include "ledger/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

void add_pictures(store::connection& c, sale::product_id id, const sale::product& p) {
    std::int64_t place = 0;
    for (const std::string& address : p.pictures) {
        c.run("INSERT INTO product_pictures (product_id, place, address) VALUES (?, ?, ?)", id,
              ++place, address);
    }
}

// Adds the pictures to their products; both lists are in order of product id.
void hang_pictures(store::connection& c, std::vector<sale::product>& products) {
    auto rows =
        c.ask("SELECT product_id, address FROM product_pictures ORDER BY product_id, place");
    auto at = products.begin();
    while (rows.next()) {
        const auto id = rows.get<sale::product_id>(0);
        while (at != products.end() && at->id < id) ++at;
        if (at != products.end() && at->id == id) at->pictures.push_back(rows.get<std::string>(1));
    }
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

// For the short lists that only admins ask for.
template <class T, class Id>
result<T> find_in(result<std::vector<T>> all, Id id) {
    if (!all) return all.error();
    const auto found = std::ranges::find(*all, id, &T::id);
    if (found == all->end()) return errc::not_found;
    return std::move(*found);
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
        const auto c = db_.reader();
        transaction t(*c, access::read);  // one view of both tables
        std::vector<sale::product> all;
        auto rows =
            c->ask("SELECT id, title, description, list_price_fen FROM products ORDER BY id");
        while (rows.next()) {
            sale::product& p = all.emplace_back();
            rows.read(p.id, p.title, p.description, p.list_price);
        }
        hang_pictures(*c, all);
        return all;
    });
}

result<sale::product> catalogue_book::find_product(sale::product_id id) {
    return find_in(products(), id);
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
        const auto c = db_.reader();
        std::vector<sale::round> all;
        auto rows = c->ask("SELECT id, title, starts_ms, ends_ms FROM rounds ORDER BY id");
        while (rows.next()) {
            sale::round& r = all.emplace_back();
            rows.read(r.id, r.title, r.starts_at, r.ends_at);
        }
        return all;
    });
}

result<sale::round> catalogue_book::find_round(sale::round_id id) { return find_in(rounds(), id); }

}  // namespace floodgate::ledger
