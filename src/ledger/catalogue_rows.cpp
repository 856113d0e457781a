#include "ledger/catalogue_rows.hpp"

#include <map>

namespace floodgate::ledger {

sale::product read_product(store::row_cursor& rows) {
    sale::product p;
    rows.read(p.id, p.title, p.description, p.list_price, p.external_id, p.metadata);
    return p;
}

void add_pictures(store::connection& c, const sale::product& p) {
    std::int64_t place = 0;
    for (const std::string& address : p.pictures) {
        c.run("INSERT INTO product_pictures (product_id, place, address) VALUES (?, ?, ?)", p.id,
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

sale::round read_round(store::row_cursor& rows) {
    sale::round r;
    rows.read(r.id, r.title, r.starts_at, r.ends_at, r.external_id);
    return r;
}

sale::sale read_sale(store::row_cursor& rows) {
    sale::sale s;
    std::int64_t resell = 1;
    rows.read(s.id, s.product, s.round, s.price, s.price_points, s.stock, s.limit, s.pay_within_s,
              resell, s.earns_points, s.starts_at, s.ends_at, s.revision, s.external_id,
              s.metadata);
    s.resell_refunded = resell != 0;
    // A state that is not known must not open a sale.
    s.state = sale::parse_sale_state(rows.asked().text(15)).value_or(sale::sale_state::ended);
    return s;
}

bool makes_sense(const sale::sale& s) {
    const auto within = [](std::int64_t value, std::int64_t max) {
        return value >= 0 && value <= max;
    };
    return within(s.price.value, sale::price_fen_max) &&
           within(s.price_points.value, sale::points_max) &&
           within(s.earns_points.value, sale::points_max) && within(s.stock, sale::stock_max) &&
           s.limit >= 1 && s.limit <= sale::limit_max && s.pay_within_s <= sale::pay_within_s_max;
}

bool makes_sense(const sale::round& r) { return r.starts_at < r.ends_at; }

sale::product_id insert_product(store::connection& c, const sale::product& p) {
    c.run(
        "INSERT INTO products (title, description, list_price_fen, external_id, metadata) "
        "VALUES (?, ?, ?, ?, ?)",
        p.title, p.description, p.list_price, or_null(p.external_id), p.metadata);
    sale::product kept = p;
    kept.id = {c.last_insert_id()};
    add_pictures(c, kept);
    return kept.id;
}

bool rewrite_product(store::connection& c, const sale::product& p) {
    if (c.run("UPDATE products SET title = ?, description = ?, list_price_fen = ?, "
              "external_id = ?, metadata = ? WHERE id = ?",
              p.title, p.description, p.list_price, or_null(p.external_id), p.metadata, p.id) == 0)
        return false;
    c.run("DELETE FROM product_pictures WHERE product_id = ?", p.id);
    add_pictures(c, p);
    return true;
}

sale::round_id insert_round(store::connection& c, const sale::round& r) {
    c.run("INSERT INTO rounds (title, starts_ms, ends_ms, external_id) VALUES (?, ?, ?, ?)",
          r.title, r.starts_at, r.ends_at, or_null(r.external_id));
    return {c.last_insert_id()};
}

sale::sale_id insert_sale(store::connection& c, const sale::sale& s) {
    c.run(
        "INSERT INTO sales (product_id, round_id, price_fen, price_points, stock, held, "
        "buyer_limit, buyer_limit_peak, pay_within_s, resell_refunded, earns_points, state, "
        "external_id, metadata) VALUES (?,?,?,?,?,0,?,?,?,?,?,?,?,?)",
        s.product, s.round, s.price, s.price_points, s.stock, s.limit, s.limit, s.pay_within_s,
        std::int64_t{s.resell_refunded}, s.earns_points, to_text(s.state), or_null(s.external_id),
        s.metadata);
    return {c.last_insert_id()};
}

bool rewrite_terms(store::connection& c, const sale::sale& s) {
    // The peak follows the limit freely while no buyer can have bought: see docs/ledger.md.
    return c.run(
               "UPDATE sales SET price_fen = ?, price_points = ?, pay_within_s = ?, "
               "resell_refunded = ?, earns_points = ?, external_id = ?, metadata = ?, "
               "buyer_limit = ?, "
               "buyer_limit_peak = CASE WHEN state = 'draft' OR buyer_limit_peak < ? THEN ? "
               "ELSE buyer_limit_peak END, revision = revision + 1 WHERE id = ?",
               s.price, s.price_points, s.pay_within_s, std::int64_t{s.resell_refunded},
               s.earns_points, or_null(s.external_id), s.metadata, s.limit, s.limit, s.limit,
               s.id) != 0;
}

}  // namespace floodgate::ledger
