// Products, rounds and sales, and the stock of each sale.

#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "sale/catalogue.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

// One move of a sale's stock figures: a line of the stock log.
struct stock_move {
    std::int64_t id = 0;
    sale::sale_id sale;
    // created, added, removed, entered, released, withdrawn, failed, repaired; accounted: see
    // stock_log.hpp
    std::string kind;
    std::int64_t stock_before = 0, stock_after = 0;  // units in total
    std::int64_t held_before = 0, held_after = 0;    // units promised, unpaid, paid or refunding
    std::string note;                                // who or why; for `entered`, the order range
    instant at;
    std::int64_t audit_id = 0;  // the audit line of the admin's act; 0: no admin made the move
};

struct sale_figures {
    sale::sale_id sale;
    std::int64_t stock = 0;
    std::int64_t held = 0;  // kept by guarded updates: 0 <= held <= stock
};

// A change is written together with its audit line, if one is given: audit_book.hpp. Lists are in
// order of id; pages of them go newest first, with ids below `before` only (0: from the newest).
class catalogue_book {
public:
    explicit catalogue_book(store::database& db) : db_(db) {}

    result<sale::product_id> add_product(const sale::product& p,
                                         const audit_maker<sale::product_id>& signed_by = {});
    result<void> update_product(const sale::product& p, const audit_note& line = {});  // not_found
    result<std::vector<sale::product>> products();
    result<std::vector<sale::product>> products(sale::product_id before, std::size_t limit);
    result<sale::product> find_product(sale::product_id id);  // not_found

    // invalid: it ends before it starts.
    result<sale::round_id> add_round(const sale::round& r,
                                     const audit_maker<sale::round_id>& signed_by = {});
    // not_found, invalid. Its sales get the new window at once: a sale's window is its round's.
    result<void> update_round(const sale::round& r, const audit_note& line = {});
    result<std::vector<sale::round>> rounds();
    result<std::vector<sale::round>> rounds(sale::round_id before, std::size_t limit);
    result<sale::round> find_round(sale::round_id id);  // not_found

    // not_found: product or round; already_exists: the product is in that round already.
    // Writes the stock log's first line.
    result<sale::sale_id> add_sale(const sale::sale& s, instant now,
                                   const audit_maker<sale::sale_id>& signed_by = {});
    // Everything an admin sets but stock and state. not_found.
    result<void> update_sale_terms(const sale::sale& s, const audit_note& line = {});
    // not_found; conflict when the move is not allowed: draft -> published; published <-> paused;
    // draft, published, paused -> ended. Moving to the state it has is fine and changes nothing;
    // the audit line is written nevertheless.
    result<void> set_sale_state(sale::sale_id id, sale::sale_state to, const audit_note& line = {});
    // Sales have their windows with them.
    result<std::vector<sale::sale>> sales();
    result<std::vector<sale::sale>> sales(sale::sale_id before, std::size_t limit);
    result<sale::sale> find_sale(sale::sale_id id);  // not_found

    // Adds units (delta > 0) or removes them (delta < 0), with the stock-log line in the same
    // transaction. Gives the new total. not_found; conflict: fewer units are free than are to be
    // removed, or the sale no longer has the revision `only_at`, if one is given; invalid: more
    // than stock_max.
    result<std::int64_t> change_stock(sale::sale_id id, std::int64_t delta, const std::string& note,
                                      instant now, const audit_maker<std::int64_t>& signed_by = {},
                                      std::optional<std::int64_t> only_at = std::nullopt);
    result<std::vector<sale_figures>> figures();
    result<sale_figures> find_figures(sale::sale_id id);  // not_found
    // The newest `limit` lines of a sale, newest first.
    result<std::vector<stock_move>> stock_log(sale::sale_id id, std::size_t limit);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
