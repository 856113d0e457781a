#include "ledger/returned_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ledger/id_statement.hpp"
#include "ledger/stock_log.hpp"

namespace floodgate::ledger {

returned_units::returned_units(store::connection& c, const std::set<sale::sale_id>& sales)
    : book_(c) {
    const auto read = [&](store::row_cursor& rows) {
        while (rows.next()) {
            share& s = shares_[rows.get<sale::sale_id>(0)];
            s.stock = rows.get<std::int64_t>(1);
            s.held = rows.get<std::int64_t>(2);
            s.revision = rows.get<std::int64_t>(3);
            s.resells = rows.get<std::int64_t>(4) != 0;
        }
    };
    std::string sql = "SELECT id, stock, held, revision, resell_refunded FROM sales";
    sql.append(c.speaks().by_key).append(" WHERE id IN {}").append(c.speaks().for_update);
    ask_for_ids(c, sql, std::vector(sales.begin(), sales.end()), read);
}

bool returned_units::add(const sale::order& o, sale::order_event cause, instant at) {
    const auto found = shares_.find(o.sale);
    if (found == shares_.end()) return false;
    share& s = found->second;
    if (s.units + o.quantity > s.held) return false;
    s.units += o.quantity;
    part& p = s.parts[cause];
    p.first = p.orders == 0 ? o.no : std::min(p.first, o.no);
    p.last = std::max(p.last, o.no);
    p.at = std::max(p.at, at);
    p.units += o.quantity;
    ++p.orders;
    return true;
}

void returned_units::write() {
    std::erase_if(shares_, [](const auto& one) { return one.second.units == 0; });
    if (shares_.empty()) return;
    change_figures();
    write_log();
}

std::int64_t returned_units::withdrawn_at(const sale::order& o, sale::order_event cause) const {
    const auto found = shares_.find(o.sale);
    if (found == shares_.end() || !found->second.withdraws(cause)) return 0;
    return found->second.revision + 1;
}

std::int64_t returned_units::share::withdrawn() const {
    std::int64_t sum = 0;
    for (const auto& [cause, p] : parts)
        if (withdraws(cause)) sum += p.units;
    return sum;
}

// `held` first, because it is never above `stock`.
void returned_units::change_figures() {
    units_by_sale back, withdrawn;
    for (const auto& [id, s] : shares_) {
        back.emplace(id, s.units);
        if (const std::int64_t units = s.withdrawn(); units > 0) withdrawn.emplace(id, units);
    }
    update("held = held - CASE id {}END", back);
    update("revision = revision + 1, stock = stock - CASE id {}END", withdrawn);
}

// `change` has a place for the cases. The rows are locked since their figures were compared.
void returned_units::update(std::string_view change, const units_by_sale& by) {
    std::vector<sale::sale_id> sales;
    for (const auto& [id, units] : by) sales.push_back(id);
    std::int64_t changed = 0;
    in_parts(std::span<const sale::sale_id>(sales), [&](auto ids, std::size_t places) {
        const std::string set =
            fmt::format(fmt::runtime(change), repeated("WHEN ? THEN ? ", places));
        const std::string sql =
            fmt::format("UPDATE sales{} SET {} WHERE id IN {{}}", book_.speaks().by_key, set);
        store::row_cursor once(book_.cached(with_places(sql, places)));
        for (std::size_t i = 0; i < places; ++i) {
            const sale::sale_id id = ids[std::min(i, ids.size() - 1)];
            store::bind_after(once.asked(), static_cast<int>(2 * i), id, by.at(id));
        }
        bind_ids(once.asked(), 2 * places, ids, places);
        once.asked().step();
        changed += book_.changes();
    });
    if (changed != static_cast<std::int64_t>(sales.size()))
        throw store::sql_error(store::sql_failure::conflict, "a sale is gone");
}

void returned_units::write_log() {
    std::vector<stock_move> lines;
    for (const auto& [id, s] : shares_) {
        figures now{s.stock, s.held};
        for (const auto& [cause, p] : s.parts) {
            const bool withdraws = s.withdraws(cause);
            const figures after{now.stock - (withdraws ? p.units : 0), now.held - p.units};
            lines.push_back({0, id, withdraws ? "withdrawn" : "released", now.stock, after.stock,
                             now.held, after.held, p.note(cause), p.at});
            now = after;
        }
    }
    write_moves(book_, lines);
}

std::string returned_units::part::note(sale::order_event cause) const {
    if (orders == 1) return fmt::format("order {} {}", first.value, to_text(cause));
    return fmt::format("{} orders {}, {} to {}", orders, to_text(cause), first.value, last.value);
}

}  // namespace floodgate::ledger
