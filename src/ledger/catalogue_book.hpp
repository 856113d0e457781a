// Products, rounds and sales, and the stock of each sale.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "ledger/catalogue_batch.hpp"
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

// Which products a page shows. Members that are left empty do not matter.
struct product_filter {
    std::string text{};  // in the title; ASCII letters of either case
    std::string external_id{};
};
struct round_filter {
    std::optional<instant> from{}, to{};  // those whose window touches this one
    std::optional<instant> open_at{}, over_at{}, before_start_at{};
    std::string external_id{};
};
struct sale_filter {
    sale::round_id round{};
    sale::product_id product{};
    std::optional<sale::sale_state> state{};
    std::string external_id{};
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
    result<std::vector<sale::product>> products(sale::product_id before, std::size_t limit,
                                                const product_filter& which = {});
    // Those of sales that are not drafts.
    result<std::vector<sale::product>> products_on_sale();
    result<sale::product> find_product(sale::product_id id);  // not_found

    // invalid: it ends before it starts.
    result<sale::round_id> add_round(const sale::round& r,
                                     const audit_maker<sale::round_id>& signed_by = {});
    // not_found, invalid. Its sales get the new window at once: a sale's window is its round's.
    result<void> update_round(const sale::round& r, const audit_note& line = {});
    result<std::vector<sale::round>> rounds();
    result<std::vector<sale::round>> rounds(sale::round_id before, std::size_t limit,
                                            const round_filter& which = {});
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
    result<std::vector<sale::sale>> sales(sale::sale_id before, std::size_t limit,
                                          const sale_filter& which = {});
    result<sale::sale> find_sale(sale::sale_id id);  // not_found

    // Many at once, in one transaction, named by their external ids; a result for each line, in
    // order. A line that is refused does not hinder the others. What was left out of a line keeps
    // its value. already_exists: another node wrote the same external id at the same time; putting
    // the lines again mends it.
    result<std::vector<put_result>> put_products(std::span<const sale::product_line> lines,
                                                 const put_options& o, const put_signer& sign);
    // Makes drafts and changes drafts.
    result<std::vector<put_result>> put_sales(std::span<const sale::sale_line> lines,
                                              const put_options& o, const put_signer& sign);

    // Adds units (delta > 0) or removes them (delta < 0), with the stock-log line in the same
    // transaction. Gives the new total. not_found; conflict: fewer units are free than are to be
    // removed, or the sale no longer has the revision `only_at`, if one is given; invalid: more
    // than stock_max.
    result<std::int64_t> change_stock(sale::sale_id id, std::int64_t delta, const std::string& note,
                                      instant now, const audit_maker<std::int64_t>& signed_by = {},
                                      std::optional<std::int64_t> only_at = std::nullopt);
    result<std::vector<sale_figures>> figures();
    result<sale_figures> find_figures(sale::sale_id id);  // not_found
    // The newest `limit` lines of a sale with ids below `before` (0: from the newest), newest
    // first.
    result<std::vector<stock_move>> stock_log(sale::sale_id id, std::size_t limit,
                                              std::int64_t before = 0);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
