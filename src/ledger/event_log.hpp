// Writes order events. Every move of an order is written in the transaction that makes the move.

#pragma once

#include "sale/order.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

struct order_move_line {
    sale::order_no order;
    sale::user_id buyer;
    sale::sale_id sale;
    sale::order_state from{}, to{};
    const char* reason = "";
    instant at;
};

void write_event(store::connection& c, const order_move_line& line);

}  // namespace floodgate::ledger
