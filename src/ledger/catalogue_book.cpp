#include "ledger/catalogue_book.hpp"

#include <optional>

#include "ledger/catalogue_rows.hpp"
#include "ledger/conditions.hpp"
#include "ledger/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

template <class Id>
Id below(Id before) {
    return before.value == 0 ? Id{INT64_MAX} : before;
}

// `which` follows the table's name: a condition, an order, a limit.
template <class... Values>
std::vector<sale::product> read_products(store::connection& c, std::string_view which,
                                         const Values&... values) {
    const transaction t(c, access::read);  // one view of both tables
    std::vector<sale::product> found;
    auto rows = c.ask(std::string(all_products).append(which), values...);
    while (rows.next()) found.push_back(read_product(rows));
    hang_pictures(c, found);
    return found;
}

template <class... Values>
std::vector<sale::round> read_rounds(store::connection& c, std::string_view which,
                                     const Values&... values) {
    std::vector<sale::round> found;
    auto rows = c.ask(std::string(all_rounds).append(which), values...);
    while (rows.next()) found.push_back(read_round(rows));
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

}  // namespace

result<sale::product_id> catalogue_book::add_product(
    const sale::product& p, const audit_maker<sale::product_id>& signed_by) {
    return guarded("catalogue.add_product", [&]() -> result<sale::product_id> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const sale::product_id id = insert_product(*c, p);
        if (signed_by) write_audit(*c, signed_by(id));
        t.commit();
        return id;
    });
}

result<void> catalogue_book::update_product(const sale::product& p, const audit_note& line) {
    return guarded("catalogue.update_product", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (!rewrite_product(*c, p)) return errc::not_found;
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

result<std::vector<sale::product>> catalogue_book::products_on_sale() {
    return guarded("catalogue.products_on_sale", [&]() -> result<std::vector<sale::product>> {
        return read_products(
            *db_.reader(),
            "WHERE id IN (SELECT product_id FROM sales WHERE state <> 'draft') ORDER BY id");
    });
}

result<std::vector<sale::product>> catalogue_book::products(sale::product_id before,
                                                            std::size_t limit,
                                                            const product_filter& which) {
    return guarded("catalogue.products", [&]() -> result<std::vector<sale::product>> {
        conditions all;
        all.add("id < ?", below(before).value);
        if (!which.external_id.empty()) all.add("external_id = ?", which.external_id);
        if (!which.text.empty())
            all.add("LOWER(title) LIKE LOWER(?) ESCAPE '!'", anywhere(which.text));
        const auto c = db_.reader();
        const transaction t(*c, access::read);
        std::vector<sale::product> found;
        {
            auto rows = all.ask(*c, all_products, " ORDER BY id DESC LIMIT ?",
                                static_cast<std::int64_t>(limit));
            while (rows.next()) found.push_back(read_product(rows));
        }
        hang_pictures(*c, found);
        return found;
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
        const sale::round_id id = insert_round(*c, r);
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
        c->run(
            "UPDATE rounds SET title = ?, starts_ms = ?, ends_ms = ?, external_id = ? "
            "WHERE id = ?",
            r.title, r.starts_at, r.ends_at, or_null(r.external_id), r.id);
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

result<std::vector<sale::round>> catalogue_book::rounds(sale::round_id before, std::size_t limit,
                                                        const round_filter& which) {
    return guarded("catalogue.rounds", [&]() -> result<std::vector<sale::round>> {
        conditions all;
        all.add("id < ?", below(before).value);
        if (which.from) all.add("ends_ms > ?", to_ms(*which.from));
        if (which.to) all.add("starts_ms < ?", to_ms(*which.to));
        if (which.open_at) {
            all.add("starts_ms <= ?", to_ms(*which.open_at));
            all.add("ends_ms > ?", to_ms(*which.open_at));
        }
        if (which.over_at) all.add("ends_ms <= ?", to_ms(*which.over_at));
        if (which.before_start_at) all.add("starts_ms > ?", to_ms(*which.before_start_at));
        if (!which.external_id.empty()) all.add("external_id = ?", which.external_id);
        const auto c = db_.reader();
        auto rows =
            all.ask(*c, all_rounds, " ORDER BY id DESC LIMIT ?", static_cast<std::int64_t>(limit));
        std::vector<sale::round> found;
        while (rows.next()) found.push_back(read_round(rows));
        return found;
    });
}

result<sale::round> catalogue_book::find_round(sale::round_id id) {
    return guarded("catalogue.find_round", [&]() -> result<sale::round> {
        return only(read_rounds(*db_.reader(), "WHERE id = ?", id));
    });
}

}  // namespace floodgate::ledger
