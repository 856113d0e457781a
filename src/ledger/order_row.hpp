// An order's row in the database, with the payment that was begun for it, if any.

#pragma once

#include <string>
#include <string_view>

#include "sale/order.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// The words of payments.question. Empty: nothing is to be asked.
inline constexpr std::string_view asks_close = "close", asks_refund = "refund";

struct order_row {
    sale::order order;
    std::string method;  // the channel; empty: no payment was begun
    std::string question;
    std::int64_t tries = 0;
    std::string note;
    instant asked_since;

    bool begun() const { return !method.empty(); }
};

// "SELECT ... FROM orders o LEFT JOIN payments p ... ", followed by `rest`, which begins with
// WHERE. The columns are those of read_order_row. `hint` follows the table orders: see
// dialect::by_index.
std::string select_orders(std::string_view rest, std::string_view hint = {});
order_row read_order_row(const store::row_cursor& rows);

// Throws sql_error (corrupt) for a word that is no state.
sale::order_state to_order_state(const std::string& word);

}  // namespace floodgate::ledger
