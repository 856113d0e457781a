#include "ledger/stock_log.hpp"

#include <fmt/format.h>

namespace floodgate::ledger {

void write_move(store::connection& c, const stock_move& m) {
    c.run(
        "INSERT INTO stock_log (sale_id, kind, stock_before, stock_after, held_before, held_after, "
        "note, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        m.sale, m.kind, m.stock_before, m.stock_after, m.held_before, m.held_after, m.note, m.at);
}

std::string shown(const figures& f) { return fmt::format("stock {} held {}", f.stock, f.held); }

figures log_end(store::connection& c, sale::sale_id id) {
    auto rows = c.ask(
        "SELECT stock_after, held_after FROM stock_log WHERE sale_id = ? ORDER BY id DESC LIMIT 1",
        id);
    figures end;
    if (rows.next()) rows.read(end.stock, end.held);
    return end;
}

}  // namespace floodgate::ledger
