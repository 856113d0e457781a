// What the ledger knows about money that went through a payment channel, to be held against the
// channel's bill. Reads only.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/order.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

// An order's trade with a channel.
struct channel_trade {
    sale::order_no no;
    sale::order_state order{};
    sale::fen amount;
    bool paid = false;     // the ledger knows of the money, also if it came late or twice
    sale::fen refunded{};  // what was given back, or is to be
};

enum class money_move : std::uint8_t { payment = 1, refund };

struct settlement {
    sale::order_no no;
    sale::fen amount;
    money_move kind{};
    instant at;  // when the ledger learnt of it
};

struct settlements_wanted {
    std::string method;
    instant from, until;  // until: no longer
};

class settlements {
public:
    explicit settlements(store::database& db) : db_(db) {}

    // The trades of these orders with this method, in any order; none for an order that has none.
    // No number may be there twice.
    result<std::vector<channel_trade>> find(const std::vector<sale::order_no>& numbers,
                                            const std::string& method);
    // Payments and refunds in this time, in the order in which the ledger learnt of them; also of
    // money that came late or twice and went back. Reads every trade.
    result<std::vector<settlement>> between(const settlements_wanted& w);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
