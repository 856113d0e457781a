// One move of one order, and what it does: decided from the order's row alone, without a database.

#pragma once

#include <optional>
#include <string_view>

#include "ledger/move_book.hpp"
#include "ledger/order_row.hpp"

namespace floodgate::ledger {

// As move_book.hpp describes them.
enum class move_kind : std::uint8_t {
    begin_payment = 1,
    cancel,
    ask_refund,
    pay,
    pay_reserved,
    close,
    finish_refund,
    refund_late_money
};
const char* to_text(move_kind kind);  // "moves.pay": the name of the act in the log

struct move_request {
    move_kind kind{};
    sale::order_no order;
    instant now{};
    std::optional<sale::user_id> buyer{};  // whose order it has to be; empty: anybody's
    std::string_view method{};             // begin_payment, pay_reserved: the channel
};

// What the channel of an order whose payment was begun is to be asked for from now on.
struct asking {
    std::string_view question, cause;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 misreads the generated comparison
    friend auto operator<=>(const asking&, const asking&) = default;
};

// What is to be written for a move.
struct move_plan {
    bool moves = false;                        // false: the rest is empty, nothing is written
    std::optional<sale::order_event> event{};  // the order's state changes by this
    std::string_view channel{};                // the order gets a payment with this method
    std::optional<asking> asks{};              // its channel gets this to answer
    bool settles = false;                      // there is nothing more to ask
};

// Throws sql_error (corrupt) when the row makes no sense.
move_plan plan_move(const order_row& row, const move_request& m);

// The order after the move.
sale::order order_after(sale::order order, const move_plan& plan);

}  // namespace floodgate::ledger
