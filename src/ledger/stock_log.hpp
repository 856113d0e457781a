// The stock log's pen: every move of a sale's figures is written in the transaction that makes it.

#pragma once

#include "ledger/catalogue_book.hpp"
#include "store/sql.hpp"

namespace floodgate::ledger {

// The line's id is assigned.
void write_move(store::connection& c, const stock_move& move);

}  // namespace floodgate::ledger
