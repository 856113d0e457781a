#include "ledger/event_log.hpp"

namespace floodgate::ledger {

void write_event(store::connection& c, const order_move_line& line) {
    c.run(
        "INSERT INTO order_events (order_no, buyer_id, sale_id, from_state, to_state, reason, "
        "at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)",
        line.order, line.buyer, line.sale, to_text(line.from), to_text(line.to), line.reason,
        line.at);
}

}  // namespace floodgate::ledger
