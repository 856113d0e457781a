// What there is to tell of promises that were just entered, without asking the ledger again.

#pragma once

#include <span>
#include <vector>

#include "ledger/order_book.hpp"
#include "sale/news.hpp"

namespace floodgate::shop {

// One piece of news for each promise, in their order: unpaid, or failed with the reason. All of
// them must have been entered by this very report (none known).
void append_news(std::span<const sale::promise> promises, const ledger::entry_report& report,
                 std::vector<sale::order_news>& out);

}  // namespace floodgate::shop
