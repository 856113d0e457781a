#include "ledger/inspection.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <fmt/format.h>

#include <map>
#include <optional>

#include "ledger/finder.hpp"
#include "store/sql.hpp"

namespace floodgate::ledger {
namespace {

struct figures {
    std::int64_t stock = 0, held = 0;
    friend bool operator==(const figures&, const figures&) = default;
};

std::string shown(const figures& f) { return fmt::format("stock {} held {}", f.stock, f.held); }

struct sale_line {
    figures now;
    std::int64_t limit_peak = 1;
    std::int64_t counted = 0;  // units its orders hold
};
using sale_lines = std::map<sale::sale_id, sale_line>;

sale_lines read_sales(store::connection& c) {
    auto rows = c.ask("SELECT id, stock, held, buyer_limit_peak FROM sales");
    sale_lines sales;
    while (rows.next()) {
        sale::sale_id id;
        sale_line s;
        rows.read(id, s.now.stock, s.now.held, s.limit_peak);
        sales.emplace(id, s);
    }
    return sales;
}

struct order_line {
    std::int64_t no = 0;
    sale::sale_id sale;
    sale::user_id buyer;
    std::int64_t quantity = 0;
    std::string state;
    std::optional<std::int64_t> mark;
};

// What is wrong with an order by itself; nothing when it is fine.
std::optional<std::string> oddity(const order_line& o, const sale_line* of) {
    const auto state = sale::parse_order_state(o.state);
    if (!state || *state == sale::order_state::queued)
        return fmt::format("order {}: the state {} has no place in the book", o.no, o.state);
    if (o.quantity < 1) return fmt::format("order {}: has {} units", o.no, o.quantity);
    if (of == nullptr && *state != sale::order_state::failed)
        return fmt::format("order {}: there is no sale {}", o.no, o.sale.value);
    if (holds_stock(*state) != o.mark.has_value())
        return fmt::format("order {}: is {}, but its mark says {}", o.no, o.state,
                           o.mark ? "held" : "not held");
    // Where buyers have one order each, any other mark would slip past the unique key.
    if (o.mark && *o.mark != 0 && (*o.mark != o.no || of->limit_peak == 1))
        return fmt::format("order {}: has the mark {}", o.no, *o.mark);
    return std::nullopt;
}

// Units per buyer and sale: about 64 bytes for each order that holds stock.
using buyer_and_sale = std::pair<std::int64_t, std::int64_t>;
using buyer_units = boost::unordered_flat_map<buyer_and_sale, std::int64_t>;

buyer_units count_orders(store::connection& c, sale_lines& sales, findings& all) {
    finder trouble(all, "order");
    buyer_units units;
    auto rows = c.ask(
        "SELECT order_no, sale_id, buyer_id, quantity, state, mark FROM orders ORDER BY order_no");
    order_line o;
    while (rows.next()) {
        rows.read(o.no, o.sale, o.buyer, o.quantity, o.state, o.mark);
        const auto of = sales.find(o.sale);
        if (auto odd = oddity(o, of == sales.end() ? nullptr : &of->second))
            trouble.add(std::move(*odd));
        const auto state = sale::parse_order_state(o.state);
        if (!state || !holds_stock(*state)) continue;
        units[{o.buyer.value, o.sale.value}] += o.quantity;
        if (of != sales.end()) of->second.counted += o.quantity;
    }
    return units;
}

void compare_held(const sale_lines& sales, findings& all) {
    finder trouble(all, "held");
    for (const auto& [id, s] : sales) {
        const auto& [stock, held] = s.now;
        if (held != s.counted)
            trouble.add(fmt::format("sale {}: held says {}, its orders hold {}", id.value, held,
                                    s.counted));
        if (s.counted > stock)
            trouble.add(fmt::format("sale {}: oversold: its orders hold {} of {}", id.value,
                                    s.counted, stock));
        if (held < 0 || held > stock)
            trouble.add(fmt::format("sale {}: held {} is not within the stock of {}", id.value,
                                    held, stock));
    }
}

// Against the highest limit the sale has had: a limit that was lowered takes nothing away.
void compare_limits(const buyer_units& units, const sale_lines& sales, findings& all) {
    finder trouble(all, "limit");
    for (const auto& [who, count] : units) {
        const auto of = sales.find(sale::sale_id{who.second});
        if (of != sales.end() && count > of->second.limit_peak)
            trouble.add(fmt::format("sale {}: buyer {} has {} units, the limit is {}", who.second,
                                    who.first, count, of->second.limit_peak));
    }
}

// Every line starts where the one before it ended: the first from nothing, the last at the sale.
void follow_log(store::connection& c, const sale_lines& sales, findings& all) {
    finder trouble(all, "log");
    for (const auto& [id, s] : sales) {
        auto lines = c.ask(
            "SELECT id, stock_before, held_before, stock_after, held_after FROM stock_log WHERE "
            "sale_id = ? ORDER BY id",
            id);
        figures at;
        while (lines.next()) {
            std::int64_t line = 0;
            figures before, after;
            lines.read(line, before.stock, before.held, after.stock, after.held);
            if (before != at)
                trouble.add(fmt::format("sale {}: log line {} starts from {}, not from {}",
                                        id.value, line, shown(before), shown(at)));
            at = after;
        }
        if (at != s.now)
            trouble.add(fmt::format("sale {}: the log ends at {}, the sale is at {}", id.value,
                                    shown(at), shown(s.now)));
    }
}

}  // namespace

findings inspect(store::connection& c) {
    findings all;
    sale_lines sales = read_sales(c);
    const buyer_units units = count_orders(c, sales, all);
    compare_held(sales, all);
    compare_limits(units, sales, all);
    follow_log(c, sales, all);
    inspect_moves(c, all);
    return all;
}

}  // namespace floodgate::ledger
