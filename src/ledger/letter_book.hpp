// Letters: promises that could not be entered. A letter is put aside so that the line goes on, and
// is tried again. When its tries are used up it is dead, and an operator decides. As long as a
// letter is open (waiting or dead), the gate holds its units.

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
    dead,         // the failure is permanent or the tries are used up: an operator decides
    replayed,     // entered after all
    discarded,    // given up by an operator: a failed order
};
const char* to_text(letter_state state);
std::optional<letter_state> parse_letter_state(std::string_view text);

// If the payload cannot be read, the promise has only order, sale and quantity, from the letter's
// own columns, and the buyer is 0. Such a letter holds its units but never becomes due, and replay
// and discard fail with corrupt.
struct letter {
    std::int64_t id = 0;
    sale::promise promise;
    letter_state state{};
    std::string cause;  // of the latest failure
    std::uint32_t attempts = 0;
    instant first_at, last_at;  // of the failures; once decided, last_at is the decision
    instant next_try;           // of a waiting letter
    sale::user_id decided_by;   // the operator who replayed or discarded it; 0: none
    std::string note;           // the operator's reason
};

// What a failed try means for the letter.
struct setback {
    std::string cause;
    bool permanent = false;  // the letter is dead at once
    instant next_try{};      // if the failure is not permanent
    instant now{};
};

struct letter_counts {
    std::int64_t waiting = 0, dead = 0;
};

class letter_book {
public:
    explicit letter_book(store::database& db) : db_(db) {}

    // Puts the promise aside and moves its line's position to `last`, its place in the line, in one
    // transaction. If the position is not below `last`, nothing changes. If the ledger has the
    // order number already, as an order or a letter, only the position moves.
    result<void> put_aside(const sale::promise& p, line_position last, const setback& why);

    // Waiting letters whose next try is due, earliest first.
    result<std::vector<letter>> due(instant now, std::size_t max);
    // Enters the promise as order_book::enter would and marks the letter replayed, in one
    // transaction. `who` is 0 when the retry job does it. not_found; conflict: decided already; or
    // an error of order_book::enter: then the letter is unchanged, and set_back() records the try.
    result<entry_report> replay(std::int64_t id, sale::user_id who, instant now,
                                const audit_maker<entry_report>& signed_by = {});
    // One more failed try, of a waiting or a dead letter. not_found; conflict: decided already.
    result<void> set_back(std::int64_t id, const setback& why);
    // Books the promise as a failed order with the reason `discarded`; the caller must release its
    // units. not_found; conflict: decided already, or the ledger has its order after all (then
    // replay it); rejected: the database refuses even the failed order.
    result<sale::order> discard(std::int64_t id, sale::user_id who, const std::string& note,
                                instant now, const audit_maker<sale::order>& signed_by = {});

    result<letter> find(std::int64_t id);                     // not_found
    result<std::vector<letter>> of_order(sale::order_no no);  // one at most
    // Newest first, only ids below `before` (0: from the newest), in this state and of this sale if
    // they are given.
    result<std::vector<letter>> list(std::optional<letter_state> state, std::int64_t before,
                                     std::size_t limit, sale::sale_id of = {});
    // Visits the waiting and dead letters, which hold units, in order of number.
    result<void> for_each_open(const std::function<void(const letter&)>& visit);
    result<letter_counts> count();

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
