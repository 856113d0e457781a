// The calls of admins: products, rounds, sales, their stock, and the audit.
//
// The router has checked the role. Every change of the catalogue is made by
// shop/catalogue_desk.hpp, which writes an audit line with old and new values. In a PUT a field
// that is left out keeps its value.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// Products. {title, list_price_fen, description?, pictures?}
reply list_products(services& with, const call& c);
reply create_product(services& with, const call& c);
reply get_product(services& with, const call& c);
reply update_product(services& with, const call& c);

// Rounds. {title, starts_at, ends_at}. A new window applies to the round's sales at once, also in
// the gate; an ended sale stays ended. 422 invalid: the round ends before it starts.
reply list_rounds(services& with, const call& c);
reply create_round(services& with, const call& c);
reply get_round(services& with, const call& c);
reply update_round(services& with, const call& c);

// Sales. Create: {product_id, round_id, price_fen, stock, price_points?, limit?, pay_within_s?,
// resell_refunded?, earns_points?}
// gives a draft. A change takes the terms only; earlier promises keep their price.
// ?limit=1..500 (500) &before=ID -> {sales, next_before}, newest first
reply list_sales(services& with, const call& c);
reply create_sale(services& with, const call& c);
reply get_sale(services& with, const call& c);  // with `figures`: what the ledger and the gate say
reply update_sale(services& with, const call& c);

// A sale's state. 409 conflict when the present state does not allow it; asking for the state that
// the sale has already succeeds. Pausing and ending close the gate at once: 202 with `book_pending`
// when the ledger has not followed yet; 503 busy when the gate could not be told.
reply publish_sale(services& with, const call& c);  // draft -> published
reply pause_sale(services& with, const call& c);    // published -> paused
reply resume_sale(services& with, const call& c);   // paused -> published
reply end_sale(services& with, const call& c);      // -> ended, for good

// Loads the sale into the gate again. Harmless at any time. 409: it is a draft.
reply warm_up_sale(services& with, const call& c);
// The same for all published and paused sales -> {sales: [{id, ok, why?}]}
reply warm_up_all(services& with, const call& c);
// -> {running, total, done, failed, started_at?}: of the latest one
reply get_warm_up(services& with, const call& c);

// {delta, note?}: adds or removes units, also while selling. 409 conflict with `free`: fewer units
// than that are free; nothing was changed.
reply change_stock(services& with, const call& c);
// ?limit=1..1000 (100) -> {moves}, newest first
reply get_stock_log(services& with, const call& c);

// Buyers who gave up orders of the sale (cancelled, not paid in time), most often first.
// ?limit=1..500 (50) -> {buyers: [{buyer_id, times, last_at}]}
reply list_returns(services& with, const call& c);

// ?limit=1..500 (50) &before=ID -> {lines, next_before}, newest first
reply list_audit(services& with, const call& c);

}  // namespace floodgate::api
