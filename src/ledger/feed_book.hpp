// The feed: every event of every order, its entry included, and alerts, numbered without gaps.
//
// A transaction that enters or moves orders adds one row with the numbers of its orders or events
// (feed_log.hpp). It cannot number them itself: transactions overlap, and one that commits late
// would put its numbers before some that a reader has passed already. So one sequencer, the node on
// duty, numbers the rows that it can see, oldest first, in transactions of its own. It keeps no
// place in the table: a row that becomes visible late is simply numbered late. The events of one
// order stay in order, because the transaction of a later move begins after the commit of the one
// before. See docs/adr/0026-the-feed-is-numbered-after-the-fact.md.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sale/order.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

struct feed_event {
    std::int64_t no = 0;  // 1, 2, 3 ...
    instant at{};
    // Of an order:
    sale::order order{};  // its terms; its state and its times are those of now
    sale::order_state from{}, to{};
    std::string reason{};
    // Instead: an alert as JSON text.
    std::string alert{};
};

struct feed_page {
    std::vector<feed_event> events;
    std::int64_t first_kept = 1;  // older numbers were deleted
    std::int64_t next = 1;        // the number that will be given next
};

class feed_book {
public:
    explicit feed_book(store::database& db) : db_(db) {}

    // Numbers at most `rows` rows. Gives the number of events; 0: nothing is waiting. Only one
    // node may do this at a time (fenced_database.hpp).
    result<std::int64_t> number_some(std::size_t rows);
    // The number that will be given next. Cheap.
    result<std::int64_t> next();

    // The events after number `after`, at most `limit`. If after + 1 < first_kept, a reader has
    // missed events, and `events` begins with the oldest that there is.
    result<feed_page> read(std::int64_t after, std::size_t limit);

    // Deletes numbered rows from before `before`, at most `rows`. Gives how many.
    result<std::size_t> forget(instant before, std::size_t rows);

    // Adds alerts, each as JSON of at most alert_bytes_max bytes.
    result<void> add_alerts(const std::vector<std::string>& alerts, instant at);
    static constexpr std::size_t alert_bytes_max = 4000;

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
