// Refunds: money or points that go back to a buyer, in part or in full.
//
// Every refund is a row with a number of its own, written in the transaction that decides it and
// before the channel hears of it. move_book.hpp decides and finishes them; this reads them.

#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/order.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

enum class refund_cause : std::uint8_t {
    buyer = 1,  // the buyer wanted it
    admin,      // an admin decided it
    late,       // the money came when the unit was given away already
    twice,      // the order was paid before, in another way
};
const char* to_text(refund_cause c);

struct refund {
    std::string number;
    sale::order_no order;
    std::string method;
    sale::price price;
    refund_cause cause{};
    std::string reason{};      // of a buyer or an admin; may be empty
    sale::user_id asked_by{};  // 0: nobody, it follows from what happened
    instant asked_at{};
    instant done_at = never;  // never: the channel has not confirmed it yet

    // Money that was never the order's: refunded although the order itself is not.
    bool is_extra() const { return cause == refund_cause::late || cause == refund_cause::twice; }
    bool is_done() const { return done_at != never; }
};

class refund_book {
public:
    explicit refund_book(store::database& db) : db_(db) {}

    // Of one order, in the order in which they were asked for.
    result<std::vector<refund>> of(sale::order_no no);
    // Of money that came late or twice, in falling order of order number, below `before`. Those of
    // one order are never apart, so there may be a few more than `max`.
    result<std::vector<refund>> extra(sale::order_no before, std::size_t max);
    // How many of these were asked for since then.
    result<std::int64_t> count_extra(instant since);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
