// Writes the stock log. Every move of a sale's figures is written in the transaction that makes it.

#pragma once

#include <span>
#include <vector>

#include "ledger/catalogue_book.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

inline constexpr std::size_t note_bytes_max = 500;  // of stock_log.note

// The line's id is assigned.
void write_move(store::connection& c, const stock_move& move);
void write_moves(store::connection& c, std::span<const stock_move> moves);  // in this order

struct figures {
    std::int64_t stock = 0, held = 0;
    friend bool operator==(const figures&, const figures&) = default;
};

std::string shown(const figures& f);  // "stock 10 held 3"

// The figures at which the sale's log ends; zero when it has no line.
figures log_end(store::connection& c, sale::sale_id id);

// A line that does not start where the one before it ended.
struct log_gap {
    std::int64_t line = 0;
    figures from, to;
};
// Every line continues the one before it, except lines of the kind `accounted`. Such a line
// explains a gap further up after the fact, because the log is never rewritten. gaps_in_log() gives
// the gaps that no line explains.
inline constexpr const char* accounted = "accounted";
std::vector<log_gap> gaps_in_log(store::connection& c, sale::sale_id id);

}  // namespace floodgate::ledger
