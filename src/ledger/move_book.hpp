// The life of an order after its entry: paid, closed, refunded.
//
// Every move is a compare-and-set in one transaction with its stock move, its stock-log line and
// its line in `order_events`. The first move wins; a later one is told the order's new state.
// sale/order_move.hpp has the table of moves. Moves that many threads make at the same time share a
// transaction (move_gatherer.hpp), and then one stock update and one log line for each sale and
// cause; a call returns when its own move is committed.
//
// An order for which a payment was begun is closed only after its channel has said that it can no
// longer be paid. Until then the order stays unpaid and `closing`, its units are held, and its
// channel is to be asked.
//
// Money may still come for an order whose units were given away. The order stays as it is, and its
// channel is asked for a refund until it says that the money is back.

#pragma once

#include <memory>
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
    bool moved = false;  // false: its state did not allow the move; nothing was changed
    // The number of the event, for a change of state. 0: the state did not change (a payment was
    // begun, the order is being closed, late money is to be refunded).
    std::int64_t event = 0;
    instant at{};  // the time of that event in the ledger
};

// An order with the method of the payment that was begun for it. Empty: none was begun.
struct known_payment {
    sale::order order;
    std::string method;
};

// What a channel is to be asked for: to close an order's payment or to refund it.
enum class question : std::uint8_t { close = 1, refund };
struct open_question {
    sale::order order;
    std::string method;
    question what{};
    std::uint32_t tries = 0;  // without a clear answer so far
    std::string note;         // why the last try gave no clear answer
    instant asked_since;
};

struct due_report {
    std::vector<move_outcome> closed;   // no payment was begun: closed, their units are back
    std::vector<move_outcome> closing;  // a payment was begun: the channel is to be asked
    std::size_t found = 0;              // orders looked at; if this is `max`, there may be more
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

// A buyer who gave up orders of a sale (sale::is_given_up), so that their units came back.
struct giving_up_buyer {
    sale::user_id buyer;
    std::int64_t times = 0;
    instant last;
};

class move_gatherer;
struct gathering;

class move_book {
public:
    explicit move_book(store::database& db);
    // For benchmarks and tests: see move_gatherer.hpp.
    move_book(store::database& db, const gathering& how);
    ~move_book();

    // Moves of the buyer's own orders. Another buyer's order is not_found, like a missing one.

    // Remembers the channel before it is asked for money. Not moved if the order is not unpaid, is
    // being closed, is past its deadline, or has a payment begun with another method. The same
    // method again counts as moved. invalid: a method is a word of 1 to 12 characters.
    result<move_outcome> begin_payment(sale::order_no no, sale::user_id buyer,
                                       const std::string& method, instant now);
    // Closes the order at once if no payment was begun; otherwise it is then `closing`. Not moved
    // if it is being closed already.
    result<move_outcome> cancel(sale::order_no no, sale::user_id buyer, instant now);
    // paid -> refunding.
    result<move_outcome> ask_refund(sale::order_no no, sale::user_id buyer, instant now);

    // Moves of any order, by number; not_found when there is none.

    // unpaid -> paid, also while closing: the money decides.
    result<move_outcome> pay(sale::order_no no, instant now);
    // The same for a price that its channel has only set aside (points), so that the ledger
    // decides. Not moved either while the order is closing, because its channel may have been told
    // to give up, nor if its payment was not begun with this method.
    result<move_outcome> pay_reserved(sale::order_no no, const std::string& method, instant now);
    // The channel says that the order can no longer be paid: unpaid and closing -> closed.
    result<move_outcome> close(sale::order_no no, instant now);
    // refunding -> refunded. For late money that is back, the inquiry is settled and the state
    // stays.
    result<move_outcome> finish_refund(sale::order_no no, instant now);
    // Money came for a closed or failed order, and its channel has to give it back. Not moved if
    // the order is in another state or its refund is asked for already.
    result<move_outcome> refund_late_money(sale::order_no no, instant now);

    // Closes unpaid orders whose deadline is `now` or earlier and which are not being closed,
    // earliest first, at most `max`, in one transaction with one stock update and one log line for
    // each sale. An order whose sale does not hold its units (the ledger was changed by hand) is
    // left for the repair.
    result<due_report> close_due(instant now, std::size_t max);

    result<known_payment> find(sale::order_no no);  // not_found

    // The inquiries that are due at `now`, longest due first. An inquiry that ask_again() has
    // postponed is left out until its time.
    result<std::vector<open_question>> open_questions(instant now, std::size_t max);
    // There was no clear answer: postpones the inquiry until `at`. not_found: the order has moved
    // on and nothing is to be asked any more.
    result<void> ask_again(sale::order_no no, instant at, const std::string& note);
    // All open inquiries, for an operator, in order of order number, above `after`.
    result<std::vector<open_question>> all_questions(sale::order_no after, std::size_t max);
    result<std::int64_t> count_questions();
    result<instant> oldest_question();  // when the oldest inquiry was opened; never: there is none

    // The buyer's mailbox: moves after `since`, oldest first.
    result<std::vector<order_event_line>> events_of(sale::user_id buyer, std::int64_t since,
                                                    std::size_t max);
    // The last line of that mailbox; 0: none yet. It is not the last event of the whole shop, which
    // would tell every buyer how busy the shop is.
    result<std::int64_t> latest_event_of(sale::user_id buyer);

    // Buyers who gave up orders of the sale after `since`, in order of id.
    result<std::vector<giving_up_buyer>> given_up_since(sale::sale_id sale, instant since);
    // At most `max` buyers who gave up most often, ever; among equals, the latest first.
    result<std::vector<giving_up_buyer>> given_up_most(sale::sale_id sale, std::size_t max);

private:
    store::database& db_;
    std::unique_ptr<move_gatherer> gatherer_;
};

}  // namespace floodgate::ledger
