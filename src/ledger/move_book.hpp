// The life of an order after its entry: paid, closed, refunded.
//
// Every move is a compare-and-set in one transaction with its stock move, its stock-log line and
// its line in `order_events`. The first move wins; a later one learns what the order is by then.
// sale/order_move.hpp is the table.
//
// An order for which a payment was begun is not closed before its channel has said that nobody can
// pay any more: until then it stays unpaid and `closing`, its units held, its channel to be asked.
//
// Money may still come for an order whose units were given away. The order stays as it is; a refund
// is asked of its channel until the channel says that the money is back.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "sale/order.hpp"
#include "sale/order_move.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

struct move_outcome {
    sale::order order;   // as it is now
    bool moved = false;  // false: its state did not allow it; nothing was changed
    // Of a change of state; 0: none (a payment begun, being closed, late money on its way back).
    std::int64_t event = 0;
    instant at{};  // of that event, as the ledger has it
};

// What a channel has to be asked for.
enum class question : std::uint8_t { close = 1, refund };
struct open_question {
    sale::order order;
    std::string method;
    question what{};
    std::uint32_t tries = 0;  // so far, without a clear answer
    std::string note;         // what was the matter the last time
    instant asked_since;
};

struct due_report {
    std::vector<move_outcome> closed;   // nobody had begun to pay: closed, units back
    std::vector<move_outcome> closing;  // somebody had: the channel is to be asked
    std::size_t found = 0;              // orders looked at: as many as allowed means there are more
};

// A line of the buyer's mailbox.
struct order_event_line {
    std::int64_t id = 0;
    sale::order_no order;
    sale::sale_id sale;
    sale::order_state from{}, to{};
    std::string reason;
    instant at;
};

// A buyer who let orders of a sale go (sale::is_given_up), so that their units came back.
struct giving_up_buyer {
    sale::user_id buyer;
    std::int64_t times = 0;
    instant last;
};

class move_book {
public:
    explicit move_book(store::database& db) : db_(db) {}

    // Of the buyer's own orders; a foreign one is not_found, like a missing one.

    // Remembers the channel before it is asked for money. Not moved: not unpaid, being closed, past
    // its deadline, or begun with another method. The same method again is fine (moved). invalid:
    // a method is a word of 1 to 12 characters.
    result<move_outcome> begin_payment(sale::order_no no, sale::user_id buyer,
                                       const std::string& method, instant now);
    // Closed at once when no payment was begun; else `closing`. Cancelling what is being closed
    // already is not a move.
    result<move_outcome> cancel(sale::order_no no, sale::user_id buyer, instant now);
    // paid -> refunding.
    result<move_outcome> ask_refund(sale::order_no no, sale::user_id buyer, instant now);

    // Of any order, by number: not_found when there is none.

    // unpaid -> paid, also while closing: the money decides.
    result<move_outcome> pay(sale::order_no no, instant now);
    // The channel says that nobody can pay any more: unpaid and closing -> closed.
    result<move_outcome> close(sale::order_no no, instant now);
    // refunding -> refunded. Late money is back: its question is settled, the state stays.
    result<move_outcome> finish_refund(sale::order_no no, instant now);
    // Money came for a closed or failed order: its channel has to give it back. Not moved: the
    // order is in another state, or its refund is asked for already.
    result<move_outcome> refund_late_money(sale::order_no no, instant now);

    // Unpaid orders whose deadline is `now` or earlier and which are not being closed, earliest
    // first, at most `max`, in one transaction: one stock update and one log line per sale. An
    // order whose sale does not hold its units (somebody changed the book) is left for the repair.
    result<due_report> close_due(instant now, std::size_t max);

    // Channels to be asked by now, longest due first. What is asked again at a later time is not
    // among them until then.
    result<std::vector<open_question>> open_questions(instant now, std::size_t max);
    // No clear answer this time. not_found: nothing is asked any more, the order has moved on.
    result<void> ask_again(sale::order_no no, instant at, const std::string& note);
    // Every open question, for an operator, by order number above `after`.
    result<std::vector<open_question>> all_questions(sale::order_no after, std::size_t max);
    result<std::int64_t> count_questions();
    result<instant> oldest_question();  // since when it is asked; never: there is none

    // The buyer's mailbox: moves after `since`, oldest first.
    result<std::vector<order_event_line>> events_of(sale::user_id buyer, std::int64_t since,
                                                    std::size_t max);
    // The last line of that mailbox; 0: none yet. Not the shop's last event, which would tell every
    // buyer how busy the shop is.
    result<std::int64_t> latest_event_of(sale::user_id buyer);

    // Buyers who let orders of the sale go after `since`, in order of id.
    result<std::vector<giving_up_buyer>> given_up_since(sale::sale_id sale, instant since);
    // Those who did it most often, of all times, at most `max`; the latest first among equals.
    result<std::vector<giving_up_buyer>> given_up_most(sale::sale_id sale, std::size_t max);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
