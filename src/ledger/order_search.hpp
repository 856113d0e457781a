// What an admin looks for among the orders, and all that is known of one of them.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ledger/audit_book.hpp"
#include "ledger/letter_book.hpp"
#include "ledger/message_book.hpp"
#include "ledger/move_book.hpp"
#include "ledger/refund_book.hpp"

namespace floodgate::ledger {

struct order_query {
    std::optional<sale::sale_id> sale{};
    std::optional<sale::product_id> product{};
    std::optional<sale::round_id> round{};
    std::optional<sale::user_id> buyer{};
    std::optional<sale::order_state> state{};
    std::optional<std::string> method{};
    std::optional<instant> from{}, to{};  // of the promise; `to` is excluded
    sale::order_no before{};              // 0: from the newest
    sale::order_no after{};               // only numbers above it
};

// A trade as the buyer began it.
struct told_trade {
    std::string method, state;
    sale::price price;
    instant begun_at{}, paid_at{};
};

struct order_story {
    sale::order order;
    instant entered_at{};  // instant{}: before there was a feed, or forgotten since
    std::vector<order_event_line> events;
    std::vector<told_trade> trades;
    std::vector<refund> refunds;
    std::vector<channel_message> messages;
    std::vector<letter> letters;
    std::vector<audit_line> acts;
};

class order_search {
public:
    explicit order_search(store::database& db) : db_(db) {}

    // Newest first, at most `limit`. Without a buyer, it walks through the orders by number, so a
    // page of a rare kind takes as long as the walk to its last order.
    result<std::vector<sale::order>> find(const order_query& q, std::size_t limit);
    // not_found. Each list is in order of time.
    result<order_story> story(sale::order_no no);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
