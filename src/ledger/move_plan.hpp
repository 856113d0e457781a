// One move of one order, and what it does: decided from the order's rows alone, without a database.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    note,
    pay_by_hand
};
const char* to_text(move_kind kind);  // "moves.pay": the name of the act in the log

struct move_request {
    move_kind kind{};
    sale::order_no order;
    instant now{};
    std::optional<sale::user_id> buyer{};  // whose order it has to be; empty: anybody's
    std::string_view method{};             // begin_payment, pay, pay_reserved, close: the channel
    sale::price price{};                   // begin_payment: what the channel takes
    const refund_wish* wish = nullptr;     // ask_refund
    std::string_view refund_number{};      // finish_refund
    attempt_list attempts{};               // written with the move, also if it is not made
    const audit_note* line = nullptr;      // of an admin's act; written together with it
};

// What becomes of a trade.
struct trade_change {
    std::string_view method;
    trade_state state{};  // from now on
    bool is_new = false;  // the ledger did not have it before
    bool asks = false;    // its channel is asked to close it from now on
    sale::price price{};  // of a new one
};

// What is to be written for a move.
struct move_plan {
    bool moves = false;                        // false: nothing is written
    obstacle why_not = obstacle::none;         // it does not move: why
    std::optional<sale::order_event> event{};  // the order's state changes by this
    std::string_view closing{};                // the order is being closed from now on: why
    std::vector<trade_change> trades{};
    std::optional<refund> asks_refund{};
    std::string_view finishes{};          // the number of a refund that is done
    sale::fen given_back{};               // of the order's money, by that refund
    money_fate money = money_fate::none;  // what became of the money that came
};

// Throws sql_error (corrupt) when the rows make no sense.
move_plan plan_move(const order_row& row, const move_request& m);
// The plan that closes an order which was not paid in time.
move_plan plan_time_out(const order_row& row);

// The method with which the plan pays the order; empty: it does not.
std::string_view method_in(const move_plan& plan);
// The order after the move, which is made at this time.
sale::order order_after(sale::order order, const move_plan& plan, instant at);

}  // namespace floodgate::ledger
