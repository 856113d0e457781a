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

// An order through the eyes of its channel.
struct paid_order {
    sale::order_no no;
    std::string method;  // empty: no payment was begun
    sale::fen amount;
    sale::order_state state{};
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

    // Those of them that there are, in any order. No number may be there twice.
    result<std::vector<paid_order>> find(const std::vector<sale::order_no>& numbers);
    // Orders that became paid or refunded in this time, in the order in which they did. Money that
    // came too late and went back is not among them: its orders stayed closed. Reads every event.
    result<std::vector<settlement>> between(const settlements_wanted& w);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
