// Makes many moves in one transaction, in as few statements as that takes.

#pragma once

#include <span>
#include <string>
#include <variant>

#include "ledger/move_plan.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// What a move has come to: its outcome; an answer (not_found); or an error of this order's rows
// alone (corrupt), for which nothing was written.
using move_answer = std::variant<move_outcome, errc, store::sql_error>;

// A copy that shares nothing with the original: copies of an exception share its text, and an
// answer goes to another thread.
inline store::sql_error apart(const store::sql_error& e) {
    return {e.kind(), std::string(e.what())};
}

struct batched_move {
    const move_request* what;
    move_answer* answer;
};

// Inside a write transaction that the caller holds. The moves are of different orders. Their events
// get their numbers in the order of the moves. True: something was written and is to be committed.
// Throws sql_error when the whole batch has failed; its answers then mean nothing.
//
// Locks are taken in the order that all nodes keep: the orders by number, then the sales by id.
bool make_moves(store::connection& c, std::span<const batched_move> moves);

}  // namespace floodgate::ledger
