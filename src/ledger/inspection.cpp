#include "ledger/inspection.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/finding_list.hpp"
#include "ledger/audit_chain.hpp"
#include "ledger/entry.hpp"
#include "ledger/letter_book.hpp"
#include "ledger/letter_payload.hpp"
#include "ledger/stock_log.hpp"
#include "ledger/stock_trace.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using only = std::optional<sale::sale_id>;  // one sale; none: all of them

// `select` is without its WHERE and ORDER BY.
store::row_cursor ask_of(store::connection& c, only sale, const std::string& select,
                         const std::string& sale_column, const std::string& order) {
    const std::string end = " ORDER BY " + order;
    if (!sale) return c.ask(select + end);
    return c.ask(select + " WHERE " + sale_column + " = ?" + end, *sale);
}

struct sale_line {
    figures now;
    std::int64_t limit_peak = 1;
    std::int64_t counted = 0;  // units its orders hold
};
using sale_lines = std::map<sale::sale_id, sale_line>;

sale_lines read_sales(store::connection& c, only sale) {
    auto rows = ask_of(c, sale, "SELECT id, stock, held, buyer_limit_peak FROM sales", "id", "id");
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
    sale::order_no no;
    sale::sale_id sale;
    sale::user_id buyer;
    std::int64_t quantity = 0;
    std::string state;
    std::optional<std::uint64_t> mark;
};

// What is wrong with one order taken alone; empty if nothing is.
std::optional<std::string> oddity(const order_line& o, const sale_line* of) {
    const auto state = sale::parse_order_state(o.state);
    if (!state || *state == sale::order_state::queued)
        return fmt::format("order {}: the state {} has no place in the book", o.no.value, o.state);
    if (o.quantity < 1) return fmt::format("order {}: has {} units", o.no.value, o.quantity);
    if (of == nullptr && *state != sale::order_state::failed)
        return fmt::format("order {}: there is no sale {}", o.no.value, o.sale.value);
    if (holds_stock(*state) != o.mark.has_value())
        return fmt::format("order {}: is {}, but its mark says {}", o.no.value, o.state,
                           o.mark ? "held" : "not held");
    // Where the limit is one order, another mark would slip past the unique key.
    if (o.mark && !mark_fits(*o.mark, o.no, of->limit_peak))
        return fmt::format("order {}: has the mark {}", o.no.value, *o.mark);
    return std::nullopt;
}

// Units per buyer and sale: about 64 bytes for each order that holds stock.
using buyer_and_sale = std::pair<std::int64_t, std::int64_t>;
using buyer_units = boost::unordered_flat_map<buyer_and_sale, std::int64_t>;

buyer_units count_orders(store::connection& c, only sale, sale_lines& sales, findings& all) {
    finder trouble(all, "order");
    buyer_units units;
    auto rows =
        ask_of(c, sale, "SELECT order_no, sale_id, buyer_id, quantity, state, mark FROM orders",
               "sale_id", "order_no");
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
            trouble.add(fmt::format("sale {}: oversold by {}: its orders hold {} of {}", id.value,
                                    s.counted - stock, s.counted, stock));
        if (held < 0 || held > stock)
            trouble.add(fmt::format("sale {}: held {} is not within the stock of {}", id.value,
                                    held, stock));
    }
}

// Compares with the highest limit the sale has had, because lowering a limit takes no order away.
void compare_limits(const buyer_units& units, const sale_lines& sales, findings& all) {
    finder trouble(all, "limit");
    for (const auto& [who, count] : units) {
        const auto of = sales.find(sale::sale_id{who.second});
        if (of != sales.end() && count > of->second.limit_peak)
            trouble.add(fmt::format("sale {}: buyer {} has {} units, the limit is {}", who.second,
                                    who.first, count, of->second.limit_peak));
    }
}

// Every line must start where the one before it ended. The first starts at zero, and the last ends
// at the figures of the sale.
void follow_log(store::connection& c, const sale_lines& sales, findings& all) {
    finder trouble(all, "log");
    for (const auto& [id, s] : sales) {
        for (const log_gap& g : gaps_in_log(c, id))
            trouble.add(fmt::format("sale {}: log line {} starts from {}, not from {}", id.value,
                                    g.line, shown(g.to), shown(g.from)));
        if (const figures end = log_end(c, id); end != s.now)
            trouble.add(fmt::format("sale {}: the log ends at {}, the sale is at {}", id.value,
                                    shown(end), shown(s.now)));
    }
}

void trace_differences(store::connection& c, const sale_lines& sales, findings& all) {
    for (const auto& [id, s] : sales)
        if (s.now.held != s.counted) trace_stock(c, id, all);
}

// What is wrong with one letter taken alone; empty if nothing is.
std::optional<std::string> letter_oddity(std::int64_t id, const std::string& word, bool readable,
                                         const letter_key& key, bool in_book) {
    const auto state = parse_letter_state(word);
    if (!state) return fmt::format("letter {}: the state {} is none", id, word);
    if (!readable) return fmt::format("letter {}: its payload cannot be read", id);
    const bool open = *state == letter_state::waiting || *state == letter_state::dead;
    if (open == in_book)
        return fmt::format("letter {}: is {}, but order {} is {}in the book", id, word,
                           key.order.value, in_book ? "" : "not ");
    return std::nullopt;
}

// The promise of an open letter must not be an order yet; that of a decided letter must be one.
void read_letters(store::connection& c, only sale, findings& all) {
    finder trouble(all, "letter");
    auto rows = ask_of(c, sale,
                       "SELECT l.id, l.order_no, l.sale_id, l.units, l.state, o.order_no, "
                       "l.payload FROM letters l LEFT JOIN orders o ON o.order_no = l.order_no",
                       "l.sale_id", "l.id");
    while (rows.next()) {
        std::int64_t id = 0;
        letter_key key;
        std::string state;
        std::optional<sale::order_no> booked;
        rows.read(id, key.order, key.sale, key.units, state, booked);
        const bool readable = promise_in(rows.asked().bytes(6), key).has_value();
        if (auto odd = letter_oddity(id, state, readable, key, booked.has_value()))
            trouble.add(std::move(*odd));
    }
}

findings inspect_some(store::connection& c, only sale) {
    findings all;
    sale_lines sales = read_sales(c, sale);
    const buyer_units units = count_orders(c, sale, sales, all);
    compare_held(sales, all);
    compare_limits(units, sales, all);
    follow_log(c, sales, all);
    trace_differences(c, sales, all);
    read_letters(c, sale, all);
    inspect_evidence(c, sale, all);
    if (sale) return all;
    inspect_moves(c, all);
    inspect_earnings(c, all);
    inspect_audit(c, all);
    inspect_audit_chain(c, all);
    return all;
}

}  // namespace

findings inspect(store::connection& c) { return inspect_some(c, std::nullopt); }

findings inspect(store::connection& c, sale::sale_id id) { return inspect_some(c, id); }

}  // namespace floodgate::ledger
