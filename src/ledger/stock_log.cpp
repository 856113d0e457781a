#include "ledger/stock_log.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "store/sql/insert_rows.hpp"

namespace floodgate::ledger {

namespace {

constexpr store::insert_shape log_shape{
    "stock_log (sale_id, kind, stock_before, stock_after, held_before, held_after, note, at_ms, "
    "audit_id)",
    9};

}  // namespace

void write_move(store::connection& c, const stock_move& m) { write_moves(c, {&m, 1}); }

void write_moves(store::connection& c, std::span<const stock_move> moves) {
    store::insert_rows(
        c, log_shape, moves,
        [](store::statement& s, int before, const stock_move& m) {
            store::bind_after(s, before, m.sale, std::string_view(m.kind), m.stock_before,
                              m.stock_after, m.held_before, m.held_after, std::string_view(m.note),
                              m.at, m.audit_id);
        },
        [](auto) {
            throw store::sql_error(store::sql_failure::constraint_unique,
                                   "a key of the stock log is taken");
        });
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

std::vector<log_gap> gaps_in_log(store::connection& c, sale::sale_id id) {
    auto rows = c.ask(
        "SELECT id, kind, stock_before, held_before, stock_after, held_after FROM stock_log WHERE "
        "sale_id = ? ORDER BY id",
        id);
    std::vector<log_gap> gaps;
    figures at;
    while (rows.next()) {
        std::int64_t line = 0;
        std::string kind;
        figures before, after;
        rows.read(line, kind, before.stock, before.held, after.stock, after.held);
        if (kind == accounted) {
            const auto same = [&](const log_gap& g) { return g.from == before && g.to == after; };
            const auto found = std::ranges::find_if(gaps, same);
            if (found != gaps.end()) gaps.erase(found);
            continue;
        }
        if (before != at) gaps.push_back({line, at, before});
        at = after;
    }
    return gaps;
}

}  // namespace floodgate::ledger
