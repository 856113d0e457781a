#include "ledger/stock_trace.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/finding_list.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

// An `entered` line: its number of units, and the range of its order numbers. Ranges may overlap,
// because a promise that was put aside is entered later than its neighbours.
struct entered_line {
    std::int64_t id = 0;
    std::int64_t units = 0;
    std::uint64_t first = 0, last = 0;
};

// "orders 1001 to 1003", as entry.cpp notes it.
bool parse_range(std::string_view note, entered_line& line) {
    constexpr std::string_view head = "orders ", middle = " to ";
    if (!note.starts_with(head)) return false;
    note.remove_prefix(head.size());
    const char* end = note.data() + note.size();
    const auto first = std::from_chars(note.data(), end, line.first);
    if (first.ec != std::errc() ||
        !std::string_view(first.ptr, static_cast<std::size_t>(end - first.ptr)).starts_with(middle))
        return false;
    const auto last = std::from_chars(first.ptr + middle.size(), end, line.last);
    return last.ec == std::errc() && last.ptr == end;
}

std::vector<entered_line> entered_lines(store::connection& c, sale::sale_id id) {
    auto rows = c.ask(
        "SELECT id, held_after - held_before, note FROM stock_log WHERE sale_id = ? AND kind = "
        "'entered' ORDER BY id",
        id);
    std::vector<entered_line> lines;
    while (rows.next()) {
        entered_line line;
        std::string note;
        rows.read(line.id, line.units, note);
        if (parse_range(note, line)) lines.push_back(line);
    }
    return lines;
}

// The units in all orders of the sale that were entered, up to and including this order.
struct running_total {
    std::uint64_t no = 0;
    std::int64_t units = 0;
};

std::vector<running_total> entered_orders(store::connection& c, sale::sale_id id) {
    auto rows = c.ask(
        "SELECT order_no, quantity FROM orders WHERE sale_id = ? AND state <> 'failed' ORDER BY "
        "order_no",
        id);
    std::vector<running_total> totals;
    std::int64_t units = 0;
    while (rows.next()) {
        units += rows.get<std::int64_t>(1);
        totals.push_back({rows.get<std::uint64_t>(0), units});
    }
    return totals;
}

std::int64_t units_below(const std::vector<running_total>& totals, std::uint64_t no) {
    const auto after = std::ranges::lower_bound(totals, no, {}, &running_total::no);
    return after == totals.begin() ? 0 : std::prev(after)->units;
}

void find_missing(sale::sale_id id, const std::vector<entered_line>& lines,
                  const std::vector<running_total>& totals, findings& all) {
    finder trouble(all, "missing");
    for (const entered_line& line : lines) {
        const auto there = units_below(totals, line.last + 1) - units_below(totals, line.first);
        if (there < line.units)
            trouble.add(
                fmt::format("sale {}: log line {} entered {} units in orders {} to {}, the book "
                            "has {} of them",
                            id.value, line.id, line.units, line.first, line.last, there));
    }
}

void find_strangers(std::vector<entered_line> lines, const std::vector<running_total>& totals,
                    findings& all) {
    finder trouble(all, "not entered");
    std::ranges::sort(lines, {}, &entered_line::first);
    auto line = lines.begin();
    std::uint64_t covered = 0;  // up to here by the lines that begin before the order
    for (const running_total& t : totals) {
        for (; line != lines.end() && line->first <= t.no; ++line)
            covered = std::max(covered, line->last);
        if (covered < t.no)
            trouble.add(fmt::format("order {}: no line of the stock log entered it", t.no));
    }
}

// Orders without any event are found by inspection_evidence.cpp.
void find_moved_by_hand(store::connection& c, sale::sale_id id, findings& all) {
    finder trouble(all, "moved");
    auto rows = c.ask(
        "SELECT o.order_no, o.state, e.to_state FROM orders o LEFT JOIN order_events e ON e.id = "
        "(SELECT MAX(id) FROM order_events WHERE buyer_id = o.buyer_id AND order_no = o.order_no) "
        "WHERE o.sale_id = ? ORDER BY o.order_no",
        id);
    while (rows.next()) {
        std::int64_t no = 0;
        std::string state;
        std::optional<std::string> event;
        rows.read(no, state, event);
        if (event && *event != state)
            trouble.add(
                fmt::format("order {}: is {}, but its last event says {}", no, state, *event));
    }
}

}  // namespace

void trace_stock(store::connection& c, sale::sale_id id, findings& all) {
    const auto lines = entered_lines(c, id);
    const auto totals = entered_orders(c, id);
    find_missing(id, lines, totals, all);
    find_strangers(lines, totals, all);
    find_moved_by_hand(c, id, all);
}

}  // namespace floodgate::ledger
