#include "ledger/order_row.hpp"

#include <algorithm>
#include <array>

#include "ledger/id_statement.hpp"
#include "ledger/refund_row.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array trade_states{trade_state::open, trade_state::paid, trade_state::extra,
                                  trade_state::closed};

std::string to_word(trade_state s) { return to_text(s); }

std::vector<sale::order_no> numbers_of(const rows_by_order& orders) {
    std::vector<sale::order_no> all;
    all.reserve(orders.size());
    for (const auto& [no, row] : orders) all.push_back(no);
    return all;
}

}  // namespace

const char* to_text(trade_state s) {
    switch (s) {
    case trade_state::open: return "open";
    case trade_state::paid: return "paid";
    case trade_state::extra: return "extra";
    case trade_state::closed: return "closed";
    }
    return "?";
}

const trade_row* order_row::trade(std::string_view method) const {
    const auto found = std::ranges::find(trades, method, &trade_row::method);
    return found == trades.end() ? nullptr : &*found;
}

const trade_row* order_row::paid_trade() const {
    const auto found = std::ranges::find(trades, trade_state::paid, &trade_row::state);
    return found == trades.end() ? nullptr : &*found;
}

bool order_row::has_open_trade() const {
    return std::ranges::count(trades, trade_state::open, &trade_row::state) > 0;
}

std::string select_orders(std::string_view rest, std::string_view hint) {
    std::string sql =
        "SELECT o.order_no, o.sale_id, o.buyer_id, o.quantity, o.amount_fen, o.amount_points, "
        "o.reason, o.created_ms, o.pay_by_ms, o.closing, o.refunded_fen, o.refunds, o.method, "
        "o.paid_ms, o.closed_ms, o.refunded_ms, o.state "
        "FROM orders o";
    return sql.append(hint).append(" ").append(rest);
}

order_row read_order_row(const store::row_cursor& rows) {
    order_row r;
    sale::order& o = r.order;
    std::string state;
    rows.read(o.no, o.sale, o.buyer, o.quantity, o.amount, o.amount_points, o.reason, o.created_at,
              o.pay_by, o.closing, o.refunded, r.refunds, o.method, o.paid_at, o.closed_at,
              o.refunded_at, state);
    o.state = to_order_state(state);
    return r;
}

void take_trades(store::connection& c, const rows_by_order& orders) {
    const auto read = [&](store::row_cursor& rows) {
        while (rows.next()) {
            trade_row t;
            sale::order_no no;
            std::string state;
            rows.read(no, t.method, t.price.money, t.price.in_points, t.paid_at, state);
            const auto known = std::ranges::find(trade_states, state, to_word);
            if (known == trade_states.end()) {
                orders.at(no)->damage = "a trade is in no known state: " + state;
                continue;
            }
            t.state = *known;
            orders.at(no)->trades.push_back(std::move(t));
        }
    };
    ask_for_ids(c,
                "SELECT order_no, method, amount_fen, amount_points, paid_ms, state FROM trades "
                "WHERE order_no IN {}",
                numbers_of(orders), read);
}

void take_asked_refunds(store::connection& c, const rows_by_order& orders) {
    const auto read = [&](store::row_cursor& rows) {
        while (rows.next()) {
            order_row& of = *orders.at(rows.get<sale::order_no>(1));
            try {
                of.asked.push_back(read_refund(rows));
            } catch (const store::sql_error& damage) {
                of.damage = damage.what();
            }
        }
    };
    ask_for_ids(c, select_refunds("WHERE r.state = 'asked' AND r.order_no IN {}"),
                numbers_of(orders), read);
}

sale::order_state to_order_state(const std::string& word) {
    const auto known = sale::parse_order_state(word);
    if (!known)
        throw store::sql_error(store::sql_failure::corrupt,
                               "an order is in no known state: " + word);
    return *known;
}

}  // namespace floodgate::ledger
