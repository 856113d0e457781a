// A row of the table `refunds`.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/refund_book.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// The words of refunds.state.
inline constexpr std::string_view refund_is_asked = "asked", refund_is_done = "done";

inline constexpr int refund_columns = 11;  // that read_refund reads

// "SELECT ... FROM refunds r ", followed by `rest`. The columns are those of read_refund, and after
// them the number of tries, the note and the time of the next try.
std::string select_refunds(std::string_view rest);
// For pages of rows in order of their orders. No order has more rows than this in one.
inline constexpr std::size_t per_order_max = 16;
// Where a page of `max` rows ends, without parting the rows of an order.
template <class Row, class OrderOf>
std::size_t end_of_order(const std::vector<Row>& rows, std::size_t max, OrderOf order_of) {
    std::size_t end = std::min(max, rows.size());
    while (end > 0 && end < rows.size() && order_of(rows[end]) == order_of(rows[end - 1])) ++end;
    return end;
}

// Throws sql_error (corrupt) for a word that makes no sense.
refund read_refund(const store::row_cursor& rows);

}  // namespace floodgate::ledger
