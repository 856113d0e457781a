// The life of an order after its entry: paid, closed, refunded.
//
// Every move is a compare-and-set in one transaction with its stock move, its stock-log line and
// its line in `order_events`. The first move wins; a later one is told the order's new state.
// sale/order_move.hpp has the table of moves. Moves that many threads make at the same time share a
// transaction (move_gatherer.hpp), and then one stock update and one log line for each sale and
// cause; a call returns when its own move is committed.
//
// A buyer may begin to pay in several ways: each is a trade with its channel. An order with open
// trades is closed only after all their channels have said that they can no longer be paid. Until
// then the order stays unpaid and `closing`, its units are held, and the channels are to be asked.
// When one trade is paid, the channels of the others are asked to close them.
//
// Money may still come for an order whose units were given away, or which was paid in another way.
// The order stays as it is, and that money is refunded: its channel is asked until it says that the
// money is back.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/attempt_book.hpp"
#include "ledger/audit_book.hpp"
#include "ledger/refund_book.hpp"
#include "sale/order.hpp"
#include "sale/order_move.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

// Why a move was not made.
enum class obstacle : std::uint8_t {
    none = 1,
    state,         // the order's state does not allow it
    too_late,      // the time to pay, or to want the money back, is over
    trade_closed,  // the trade with this channel was closed; another method may do
    too_much,      // more is to be given back than there is
};

// What became of money that came (pay).
enum class money_fate : std::uint8_t {
    none = 1,  // it was known before
    taken,     // the order is paid
    late,      // its units were given away: refunded
    twice,     // it was paid before, with another method: refunded
};

struct move_outcome {
    sale::order order;   // as it is now
    bool moved = false;  // false: nothing was changed
    // The number of the event, for a change of state. 0: the state did not change (a payment was
    // begun, the order is being closed, extra money is to be refunded).
    std::int64_t event = 0;
    instant at{};  // the time of that event in the ledger
    obstacle why_not = obstacle::none;
    money_fate money = money_fate::none;
    // The order was refunded and its units left the stock: the sale's revision since then. 0: its
    // units are still held, or can be sold again.
    std::int64_t withdrawn_at = 0;
};

// A refund that somebody wants.
struct refund_wish {
    sale::fen amount{};  // 0: everything that is left. Points go back only all together.
    std::string reason{};
    refund_cause cause = refund_cause::buyer;
    sale::user_id by{};
    std::optional<milliseconds> within{};  // only so long after the payment; empty: always
    audit_note line{};                     // of an admin's act; written together with it
};
inline constexpr std::size_t refund_reason_bytes_max = 200;

// An order with the methods in which its buyer began to pay.
struct known_payment {
    sale::order order;
    std::vector<std::string> methods{};
    std::string paid_with{};  // one of them; empty: it was never paid
};

// What a channel is to be asked for: to close a trade or to refund money.
enum class question : std::uint8_t { close = 1, refund };
struct open_question {
    sale::order order;
    std::string method;
    question what{};
    floodgate::ledger::refund refund{};  // if it is about one
    std::uint32_t tries = 0;             // without a clear answer so far
    std::string note;                    // why the last try gave no clear answer
    instant asked_since;
    instant next_try{};  // when it was or will be due
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

// The method of orders that an admin marked as paid. No channel has it, so an admin settles its
// refunds too.
inline constexpr const char* manual_method = "manual";

class move_gatherer;
struct gathering;

// The calls to a channel that led to a move. They are journalled in its transaction, also if the
// order does not move.
using attempt_list = std::span<const payment_attempt>;

class move_book {
public:
    explicit move_book(store::database& db);
    // For benchmarks and tests: see move_gatherer.hpp.
    move_book(store::database& db, const gathering& how);
    ~move_book();

    // Moves of the buyer's own orders. Another buyer's order is not_found, like a missing one.

    // Remembers the trade, and the price that its channel takes, before the channel is asked for
    // money. Not moved if the order is not unpaid, is being closed or is past its deadline, or if
    // its trade with this channel is closed. The same method again counts as moved. invalid: a
    // method is a word of 1 to 12 characters.
    struct payment {
        std::string method;
        sale::price price;
    };
    result<move_outcome> begin_payment(sale::order_no no, sale::user_id buyer, const payment& how,
                                       instant now);
    // Closes the order at once if no trade is open; otherwise it is then `closing`. Not moved if it
    // is being closed already.
    result<move_outcome> cancel(sale::order_no no, sale::user_id buyer, instant now);

    // Moves of any order, by number; not_found when there is none. A `line` is that of an admin's
    // act, written together with the move and not at all if there is none.

    // As the buyer's own cancel.
    result<move_outcome> cancel(sale::order_no no, const audit_note& line, instant now);
    // An admin has seen the money: unpaid -> paid, with the method `manual_method`. Not moved if
    // the order is not unpaid or is being closed.
    result<move_outcome> pay_by_hand(sale::order_no no, const audit_note& line, instant now);

    // paid -> refunding. With `owner`, another buyer's order is not_found. invalid: the reason is
    // too long, or the amount negative.
    result<move_outcome> ask_refund(sale::order_no no, std::optional<sale::user_id> owner,
                                    const refund_wish& wish, instant now);
    // Money came through this channel. unpaid -> paid, also while closing: the money decides. For
    // an order in another state the money is refunded; move_outcome::money says what it is.
    result<move_outcome> pay(sale::order_no no, const std::string& method, instant now,
                             attempt_list calls = {});
    // The same for a price that its channel has only set aside (points), so that the ledger
    // decides. Not moved while the order is closing, because its channel may have been told to give
    // up, nor if it is paid in another way, nor if no payment was begun with this method.
    result<move_outcome> pay_reserved(sale::order_no no, const std::string& method, instant now,
                                      attempt_list calls = {});
    // The channel says that its trade can no longer be paid. If the order is closing and this was
    // its last open trade: unpaid -> closed.
    result<move_outcome> close(sale::order_no no, const std::string& method, instant now,
                               attempt_list calls = {});
    // The channel says that the money is back: refunding -> refunded, or paid if it was only a
    // part. When extra money is back, the order stays as it is.
    result<move_outcome> finish_refund(sale::order_no no, const std::string& number, instant now,
                                       attempt_list calls = {});
    // Only journals calls to a channel, all of this order. No move follows from them.
    result<void> note(sale::order_no no, attempt_list calls);
    // The same by the word of an admin, with the line of the act.
    result<move_outcome> settle_refund(sale::order_no no, const std::string& number,
                                       const audit_note& line, instant now);

    // Closes unpaid orders whose deadline is `now` or earlier and which are not being closed,
    // earliest first, at most `max`, in one transaction with one stock update and one log line for
    // each sale. An order whose sale does not hold its units, or whose trades make no sense (the
    // ledger was changed by hand), is left for the repair.
    result<due_report> close_due(instant now, std::size_t max);

    result<known_payment> find(sale::order_no no);  // not_found

    // The inquiries that are due at `now`, longest due first. An inquiry that ask_again() has
    // postponed is left out until its time.
    result<std::vector<open_question>> open_questions(instant now, std::size_t max);
    // There was no clear answer: postpones the inquiry until `at`, unless ask_now() has made it due
    // since `q` was read. not_found: nothing is to be asked any more.
    result<void> ask_again(const open_question& q, instant at, const std::string& note,
                           attempt_list calls = {});
    // The channel has spoken of this refund by itself: makes the inquiry due at `now`. The note, if
    // there is one, replaces the last. not_found: nothing is to be asked any more.
    result<void> ask_now(const std::string& refund_no, instant now, const std::string& note);
    // All open inquiries, for an operator, in order of order number, above `after`. Those of one
    // order are never apart, so there may be a few more than `max`.
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
