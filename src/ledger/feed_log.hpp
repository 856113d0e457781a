// Notes for the feed what a transaction did, inside that transaction: one row for many events, so
// that neither the clerk nor the moves write a row for each. feed_book.hpp numbers and reads them.

#pragma once

#include <span>

#include "sale/order.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// A row has at most so many events.
inline constexpr std::size_t feed_row_events_max = 1000;

inline constexpr const char *feed_entries = "entry", *feed_moves = "move", *feed_alert = "alert";

// Orders that were entered, or refused, just now.
void log_entries(store::connection& c, std::span<const sale::order> orders, instant at);
// Lines of order_events that were written just now.
void log_moves(store::connection& c, std::span<const std::int64_t> events, instant at);

}  // namespace floodgate::ledger
