// Promises that could not be entered: put aside so that the line goes on, tried again, and in the
// end dead letters for an operator to decide on. While one is open its units stay held at the gate.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "ledger/order_book.hpp"
#include "sale/promise.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

enum class letter_state : std::uint8_t {
    waiting = 1,  // will be tried again
    dead,         // permanent, or out of tries: an operator decides
    replayed,     // entered after all
    discarded,    // given up by an operator: a failed order
};
const char* to_text(letter_state state);
std::optional<letter_state> parse_letter_state(std::string_view text);

// A payload that cannot be read leaves order, sale and quantity of the promise, from the letter's
// own columns, and the buyer 0. Such a letter holds its units, but it is not due, and neither
// replayed nor discarded: corrupt.
struct letter {
    std::int64_t id = 0;
    sale::promise promise;
    letter_state state{};
    std::string cause;  // of the latest failure
    std::uint32_t attempts = 0;
    instant first_at, last_at;  // of the failures; once decided, last_at is when
    instant next_try;           // waiting
    sale::user_id decided_by;   // replayed or discarded by an operator; 0: nobody
    std::string note;           // the operator's reason
};

// What became of a failed try.
struct setback {
    std::string cause;
    bool permanent = false;  // dead at once
    instant next_try{};      // otherwise
    instant now{};
};

struct letter_counts {
    std::int64_t waiting = 0, dead = 0;
};

class letter_book {
public:
    explicit letter_book(store::database& db) : db_(db) {}

    // Puts the promise aside and moves its line's position to `last`, its place in the line, in
    // one transaction. A position not below `last` already: nothing is changed. An order number
    // that is in the book or among the letters already: only the position moves.
    result<void> put_aside(const sale::promise& p, line_position last, const setback& why);

    // Waiting letters whose next try is due, earliest first.
    result<std::vector<letter>> due(instant now, std::size_t max);
    // Enters the promise as order_book::enter would and marks the letter replayed, in one
    // transaction. `who` is 0 when the retry job does it. not_found; conflict: decided already;
    // otherwise as order_book::enter: the letter is unchanged, and set_back() says so.
    result<entry_report> replay(std::int64_t id, sale::user_id who, instant now,
                                const audit_maker<entry_report>& signed_by = {});
    // One more failed try, of a waiting or a dead letter. not_found; conflict: decided already.
    result<void> set_back(std::int64_t id, const setback& why);
    // Books the promise as a failed order with the reason `discarded`; its unit must go back.
    // not_found; conflict: decided already, or its order is in the book after all (then replay it);
    // rejected: not even that can be booked.
    result<sale::order> discard(std::int64_t id, sale::user_id who, const std::string& note,
                                instant now, const audit_maker<sale::order>& signed_by = {});

    result<letter> find(std::int64_t id);  // not_found
    // Newest first, only ids below `before` (0: from the newest), in this state if one is given.
    result<std::vector<letter>> list(std::optional<letter_state> state, std::int64_t before,
                                     std::size_t limit);
    // Waiting and dead ones, in order of number: they hold their units.
    result<void> for_each_open(const std::function<void(const letter&)>& visit);
    result<letter_counts> count();

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
