// Paying for an order, cancelling it and refunding it: one state machine over the ledger and the
// payment channels, for buyers, payment messages and inquiries alike.
//
// The ledger is written before a channel is asked for anything, so a crash loses no payment. A
// buyer may begin to pay in several ways. An order is closed only after the channels of all its
// trades have said that they can no longer be paid: each is asked, told to close the trade, and
// asked again. Whatever only a channel can decide is an open inquiry in the ledger until inquire()
// brings a clear answer. Money decides: an order that is paid while it is being closed is paid.
// Money that comes after the unit was given away, or a second time, is refunded automatically.
//
// A channel may also only set the price aside (pay::checkout::reserved). Then the ledger decides:
// the order is paid unless it is being closed, and afterwards the channel is told to take the
// price.
//
// Any thread that may block. Every act may be repeated. Besides the errors listed, every act gives
// the ledger's errors (store_unavailable, corrupt, fenced).

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "ledger/move_book.hpp"
#include "pay/channel.hpp"
#include "shop/audit_trail.hpp"
#include "shop/settlement.hpp"

namespace floodgate::pay {
class call_recording;
}

namespace floodgate::shop {

enum class checkout_step : std::uint8_t {
    done = 1,    // the order is in the state that was asked for
    under_way,   // the channel still has to decide
    too_late,    // the time to pay, or to want it back, is over; nothing was changed
    no_effect,   // the order's state does not allow it; nothing was changed
    no_price,    // the order has no price in what the method takes; nothing was changed
    too_much,    // more is to be given back than is left; nothing was changed
    not_enough,  // the buyer has less than the price
};

struct checkout_answer {
    checkout_step step{};
    sale::order order;       // as it is now
    pay::checkout to_pay{};  // begin(), under_way: what the buyer needs to pay
    sale::fen left{};        // too_much: what can be given back; 0: it was paid in points
};

enum class inquiry_outcome : std::uint8_t {
    settled = 1,  // the order moved, or late money is back
    waiting,      // a clear answer: the channel has not finished, or a person must help it
    unsure,       // no clear answer: ask again later
    overtaken,    // a clear answer, but the order had moved meanwhile
};

struct inquiry {
    inquiry_outcome outcome{};
    std::string note{};  // not settled: why, for an operator
    // waiting, unsure: the calls that were made, to be journalled with the next try. Otherwise they
    // are journalled already.
    std::vector<ledger::payment_attempt> calls{};
};

class checkout {
public:
    struct world {
        ledger::move_book& moves;
        const pay::channels& channels;
        const shop::settlement& settlement;
        const floodgate::clock& clock;
    };
    // Buyers may give orders back for `refund_within` after the payment.
    explicit checkout(const world& w, milliseconds refund_within = refund_within_default)
        : world_(w), refund_within_(refund_within) {}
    static constexpr milliseconds refund_within_default{std::chrono::hours(24 * 7)};

    // The names of the payment methods that buyers may use.
    std::vector<std::string_view> methods() const;
    bool accepts(std::string_view method) const { return world_.channels.find(method) != nullptr; }

    // Acts of a buyer. not_found: there is no such order, or it is another buyer's.

    // done: paid at once. under_way: the buyer pays as `to_pay` says. invalid: no such method.
    // conflict: the channel has closed the trade. store_unavailable: the channel cannot be reached.
    result<checkout_answer> begin(sale::order_no no, sale::user_id buyer,
                                  const std::string& method);
    // done: closed. under_way: a payment was begun, the order is being closed.
    result<checkout_answer> cancel(sale::order_no no, sale::user_id buyer);

    // Acts of admins on any order, each with its audit line in the same transaction.

    // As the buyer's cancel.
    result<checkout_answer> cancel(sale::order_no no, const actor& admin,
                                   const std::string& reason);
    // The admin has seen the money elsewhere; `reference` says where. no_effect: the order is not
    // unpaid, or is being closed.
    struct payment_seen {
        std::string reason, reference;
    };
    result<checkout_answer> mark_paid(sale::order_no no, const actor& admin,
                                      const payment_seen& what);
    // The admin has given the money back by hand. no_effect: there is no such open refund, or its
    // channel may still give the money back itself.
    result<checkout_answer> settle_refund(sale::order_no no, const actor& admin,
                                          const std::string& refund_no, const std::string& reason);

    // What is to be given back, and why. No amount: everything that is left.
    struct refund_request {
        sale::fen amount{};
        std::string reason{};
    };
    // under_way: refunding. too_late: the buyer's time for this is over.
    result<checkout_answer> ask_refund(sale::order_no no, sale::user_id buyer,
                                       const refund_request& what);

    // An admin's act, for any order and at any time, with its audit line.
    result<checkout_answer> refund(sale::order_no no, const actor& admin,
                                   const refund_request& what);

    // What a channel says about an order's trade by itself. It has been checked (message_desk.hpp):
    // its signature, the seller, the amount. not_found: there is no such order.
    //   paid            done: it is paid now. under_way: its unit was given away, or it was paid in
    //                   another way, so the money goes back. no_effect: this money is known.
    //   closed, absent  done: the trade is closed, and so is an order that was being closed.
    //                   Otherwise no_effect.
    //   open, unsure    no_effect.
    result<checkout_step> notified(sale::order_no no, std::string_view method, pay::trade trade);

    // Pays an order for which this channel has set the price aside; begin() may have been
    // interrupted in between. done: it is paid with this method, now or before. no_effect: its
    // state does not allow it, it is paid in another way, or no payment was begun with this method.
    // invalid: no such method.
    result<checkout_answer> take_reserved(sale::order_no no, std::string_view method) {
        return take_reserved(no, method, {});
    }

    // Makes the inquiry at its channel and enters the answer in the ledger.
    result<inquiry> inquire(const ledger::open_question& q);

private:
    result<std::optional<checkout_answer>> refusal_of(pay::channel& c,
                                                      const sale::order& order) const;
    using calls = ledger::attempt_list;  // that led to it
    result<checkout_answer> begun(pay::channel& channel, const sale::order& order,
                                  const pay::call_recording& recorded);
    void note(const sale::order& order, calls made);
    result<checkout_answer> take_reserved(sale::order_no no, std::string_view method, calls made);
    result<checkout_answer> take_money(sale::order_no no, std::string_view method, calls made);
    result<checkout_answer> close(sale::order_no no, std::string_view method, calls made);
    result<checkout_answer> start_refund(sale::order_no no, std::optional<sale::user_id> owner,
                                         const ledger::refund_wish& wish);
    result<checkout_answer> too_much(const sale::order& order);
    result<checkout_answer> finish_refund(const ledger::refund& r, calls made);

    const world world_;
    const milliseconds refund_within_;
};

}  // namespace floodgate::shop
