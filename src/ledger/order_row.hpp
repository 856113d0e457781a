// An order's row in the database, and the trades in which its buyer began to pay.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/refund_book.hpp"
#include "sale/order.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

enum class trade_state : std::uint8_t {
    open = 1,  // it may still be paid, as far as the ledger knows
    paid,      // the order was paid with it
    extra,     // it was paid too late, or after another; that money goes back
    closed,    // its channel has said that it can no longer be paid
};
const char* to_text(trade_state s);  // the word of trades.state

struct trade_row {
    std::string method;
    trade_state state{};
    sale::price price;
    instant paid_at{};  // paid, extra: when the ledger learnt of it
};

struct order_row {
    sale::order order;
    std::int64_t refunds = 0;  // that were ever asked for
    // Only after take_trades() and take_asked_refunds():
    std::vector<trade_row> trades{};
    std::vector<refund> asked{};  // refunds that the channel has not confirmed yet
    std::string damage{};         // what makes no sense about them; empty: nothing

    const trade_row* trade(std::string_view method) const;  // null: none was begun
    const trade_row* paid_trade() const;                    // null: it was never paid
    bool has_open_trade() const;
};

// "SELECT ... FROM orders o ", followed by `rest`, which begins with WHERE. The columns are those
// of read_order_row. `hint` follows the table orders: see dialect::by_index.
std::string select_orders(std::string_view rest, std::string_view hint = {});
order_row read_order_row(const store::row_cursor& rows);

// Adds what belongs to these orders.
using rows_by_order = std::map<sale::order_no, order_row*>;
void take_trades(store::connection& c, const rows_by_order& orders);
void take_asked_refunds(store::connection& c, const rows_by_order& orders);

// Throws sql_error (corrupt) for a word that is no state.
sale::order_state to_order_state(const std::string& word);

}  // namespace floodgate::ledger
