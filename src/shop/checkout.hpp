// Paying for an order and getting out of it: one state machine over the ledger and the payment
// channels. Buyers, payment messages and the inquiries all come through here.
//
// The ledger is written before a channel is asked for anything, so a crash loses no payment: an
// order whose payment was begun is not closed before its channel has said that nobody can pay any
// more. What only a channel can decide stands as a question in the ledger until inquire() brings a
// clear answer. The money decides: an order that is paid while it is being closed is paid. Money
// that comes after the unit was given away goes back by itself.
//
// Any thread that may block; every act may be repeated. Besides the errors listed, every act fails
// as the ledger does (store_unavailable, corrupt, fenced).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "ledger/move_book.hpp"
#include "pay/channel.hpp"
#include "shop/settlement.hpp"

namespace floodgate::shop {

enum class checkout_step : std::uint8_t {
    done = 1,   // the order is what it was to become
    under_way,  // the channel has the last word
    too_late,   // the time to pay is over; nothing was changed
    no_effect,  // the order's state does not allow it; nothing was changed
};

struct checkout_answer {
    checkout_step step{};
    sale::order order;       // as it is now
    std::string redirect{};  // of begin(), under way: where the buyer goes to pay
};

enum class inquiry_outcome : std::uint8_t {
    settled = 1,  // the order moved, or late money is back
    unsure,       // no clear answer: ask again later
    overtaken,    // a clear answer, but the order had moved meanwhile
};

struct inquiry {
    inquiry_outcome outcome{};
    std::string note{};  // not settled: why, for an operator
};

class checkout {
public:
    struct world {
        ledger::move_book& moves;
        const pay::channels& channels;
        const shop::settlement& settlement;
        const floodgate::clock& clock;
    };
    explicit checkout(const world& w) : world_(w) {}

    // The words a buyer may pay with.
    std::vector<std::string_view> methods() const;
    bool accepts(std::string_view method) const { return world_.channels.find(method) != nullptr; }

    // What a buyer asks for. not_found: there is no such order, or it is another buyer's.

    // done: paid there and then. under_way: the buyer pays at `redirect`. invalid: no such method.
    // conflict: the channel has closed the trade. store_unavailable: it cannot be reached.
    result<checkout_answer> begin(sale::order_no no, sale::user_id buyer,
                                  const std::string& method);
    // done: closed. under_way: a payment was begun, the order is being closed.
    result<checkout_answer> cancel(sale::order_no no, sale::user_id buyer);
    // under_way: refunding.
    result<checkout_answer> ask_refund(sale::order_no no, sale::user_id buyer);

    // What a channel says of an order's trade, unasked. The channel has checked the message: its
    // signature, the seller, the amount. not_found: there is no such order.
    //   paid            done: it is paid now. under_way: its unit was given away, so the money
    //                   goes back. no_effect: it was paid before.
    //   closed, absent  done: the order, which was to be closed, is closed. Otherwise no_effect.
    //   open, unsure    no_effect.
    result<checkout_step> notified(sale::order_no no, pay::trade trade);

    // Asks the channel what the ledger wants to know, and enters the answer.
    result<inquiry> inquire(const ledger::open_question& q);

private:
    result<checkout_answer> take_money(sale::order_no no);
    result<checkout_answer> return_late_money(sale::order_no no);
    result<checkout_answer> close(sale::order_no no);
    result<checkout_answer> finish_refund(sale::order_no no);

    const world world_;
};

}  // namespace floodgate::shop
