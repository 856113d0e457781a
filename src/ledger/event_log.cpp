#include "ledger/event_log.hpp"

#include "ledger/feed_log.hpp"

namespace floodgate::ledger {

void write_event(store::connection& c, const order_move_line& line) {
    c.run(
        "INSERT INTO order_events (order_no, buyer_id, sale_id, from_state, to_state, reason, "
        "at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        line.order, line.buyer, line.sale, to_text(line.from), to_text(line.to), line.reason,
        line.at);
    const std::int64_t id = c.last_insert_id();
    log_moves(c, {&id, 1}, line.at);
}

}  // namespace floodgate::ledger
