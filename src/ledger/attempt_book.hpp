// The journal of calls to payment channels: one row for each remote call, with what was asked, what
// came of it and how long it took. It is evidence: nothing is decided by it.
//
// A row is written after its call, in the transaction that enters the outcome (move_book.hpp), so a
// call costs no commit of its own. If the process dies between the call and that transaction, the
// row is missing; the trade or refund still says that its channel is to be asked.
//
// Of one order the newest `kept_of_order` rows are kept, and at most `trim_every` tries more: a
// channel that never answers is asked every minute for ever, and buyers may begin again and again.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/ids.hpp"

namespace floodgate::store {
class connection;
class database;
}  // namespace floodgate::store

namespace floodgate::ledger {

struct payment_attempt {
    std::int64_t id = 0;  // assigned by the book
    sale::order_no order;
    instant at;  // when the call was made
    milliseconds took{};
    std::string method;
    std::string refund_no{};  // of a call about a refund
    std::string asked;        // a word: begin, query, close, refund, refund_query ...
    std::string outcome;      // a word: answered, refused, garbled, no_answer, failed
    std::string answer{};     // the channel's own codes, or why there is no answer; cut when long
};

class attempt_book {
public:
    static constexpr std::size_t kept_of_order = 200;
    static constexpr std::uint32_t trim_every = 16;
    static constexpr std::size_t answer_bytes_max = 120;

    explicit attempt_book(store::database& db) : db_(db) {}

    // Oldest first; none: the order does not exist, or no call was made for it.
    result<std::vector<payment_attempt>> of_order(sale::order_no no);

private:
    store::database& db_;
};

// Inside a write transaction that the caller holds. Texts are cut to their columns; anything but
// printable ASCII becomes '?', because it may come from a stranger.
void write_attempts(store::connection& c, std::span<const payment_attempt* const> all);
// Deletes the oldest rows of the order above `kept_of_order`.
void trim_attempts(store::connection& c, sale::order_no no);

}  // namespace floodgate::ledger
