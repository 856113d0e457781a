#include "ledger/stock_log.hpp"

namespace floodgate::ledger {

void write_move(store::connection& c, const stock_move& m) {
    c.run(
        "INSERT INTO stock_log (sale_id, kind, stock_before, stock_after, held_before, held_after, "
        "note, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        m.sale, m.kind, m.stock_before, m.stock_after, m.held_before, m.held_after, m.note, m.at);
}

}  // namespace floodgate::ledger
