// Points that buyers earn with orders which they pay in money, and how far each of them has come.
//
// A row is written in the transaction that pays the order. The points themselves may live in
// another database or process, so jobs/points_earnings moves the row on, step by step. The
// transaction that refunds the order makes an open row due at once.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/order.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

enum class earning_state : std::uint8_t {
    owed = 1,  // the order is paid; the accounts of points may not know it yet
    promised,  // the accounts have noted it; the buyer cannot spend it yet
    given,     // the buyer has it
    gone,      // the buyer does not get it: the order was refunded, or the account is full
};
const char* to_text(earning_state s);  // the word of earnings.state

struct earning {
    sale::order_no order;
    sale::user_id buyer;
    sale::points amount;
    earning_state state{};
    instant paid_at;
    instant due;  // of an open one (owed, promised): when it is to be looked at
};

struct due_earning : earning {
    std::optional<sale::order_state> order_is;  // empty: it cannot be read, or there is no order
};

// What becomes of an earning since it was read.
struct earning_change {
    earning was;
    earning_state state{};
    instant due;
};

struct earning_counts {
    std::int64_t owed = 0, promised = 0;
};

class earning_book {
public:
    explicit earning_book(store::database& db) : db_(db) {}

    // Open ones that are due at `now`, longest due first.
    result<std::vector<due_earning>> due(instant now, std::size_t max);
    // In one transaction. An earning whose state or time has changed since it was read is left as
    // it is. Gives how many were changed.
    result<std::size_t> change(std::span<const earning_change> changes);

    result<earning> find(sale::order_no order);  // not_found
    // All of them, by order number. Those in no known state are left out.
    result<void> for_each(const std::function<void(const earning&)>& visit);
    result<earning_counts> count();

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
