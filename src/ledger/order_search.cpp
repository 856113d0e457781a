#include "ledger/order_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ledger/guarded.hpp"
#include "ledger/order_row.hpp"
#include "ledger/refund_row.hpp"
#include "sale/order_number.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

// A number has about the time of its promise in it (sale/order_number.hpp): clocks of nodes differ,
// and a generator does not go back with its clock.
constexpr std::int64_t number_epoch_ms = 1'704'067'200'000;
constexpr std::int64_t slack_ms = 3'600'000;
std::int64_t first_number_at(instant at) {
    const std::int64_t ms = std::max<std::int64_t>(to_ms(at) - number_epoch_ms, 0);
    constexpr std::int64_t ms_max = (std::int64_t{1} << 41) - 1;
    return std::min(ms, ms_max) << 22;
}

struct wanted {
    std::string where = "WHERE o.order_no < ? AND o.order_no > ?";
    std::vector<std::int64_t> numbers{};
    std::vector<std::string> words{};

    void number(std::string_view what, std::int64_t value) {
        where.append(" AND ").append(what);
        numbers.push_back(value);
    }
};

wanted to_sql(const order_query& q) {
    std::int64_t below =
        q.before.value == 0 ? INT64_MAX : static_cast<std::int64_t>(q.before.value);
    auto above = static_cast<std::int64_t>(q.after.value);
    constexpr milliseconds slack{slack_ms};
    if (q.to) below = std::min(below, first_number_at(*q.to + slack));
    if (q.from) above = std::max(above, first_number_at(*q.from - slack) - 1);
    wanted w;
    w.numbers = {below, above};
    if (q.sale) w.number("o.sale_id = ?", q.sale->value);
    if (q.product)
        w.number("o.sale_id IN (SELECT id FROM sales WHERE product_id = ?)", q.product->value);
    if (q.round) w.number("o.sale_id IN (SELECT id FROM sales WHERE round_id = ?)", q.round->value);
    if (q.buyer) w.number("o.buyer_id = ?", q.buyer->value);
    if (q.from) w.number("o.created_ms >= ?", to_ms(*q.from));
    if (q.to) w.number("o.created_ms < ?", to_ms(*q.to));
    if (q.state) {
        w.where += " AND o.state = ?";
        w.words.emplace_back(to_text(*q.state));
    }
    if (q.method) {
        w.where += " AND o.method = ?";
        w.words.push_back(*q.method);
    }
    w.where += " ORDER BY o.order_no DESC LIMIT ?";
    return w;
}

std::string as_text(byte_view bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class story_teller {
public:
    story_teller(store::connection& c, order_story& s) : book_(c), story_(s) {}

    void tell() {
        events();
        trades();
        refunds();
        messages();
        acts();
    }

private:
    sale::order_no no() const { return story_.order.no; }

    void events() {
        auto rows = book_.ask(
            "SELECT id, order_no, sale_id, reason, at_ms, from_state, to_state FROM order_events "
            "WHERE buyer_id = ? AND order_no = ? ORDER BY id",
            story_.order.buyer, no());
        while (rows.next()) {
            order_event_line& e = story_.events.emplace_back();
            std::string from, to;
            rows.read(e.id, e.order, e.sale, e.reason, e.at, from, to);
            e.from = to_order_state(from);
            e.to = to_order_state(to);
        }
    }
    void trades() {
        auto rows = book_.ask(
            "SELECT method, state, amount_fen, amount_points, begun_ms, paid_ms FROM trades "
            "WHERE order_no = ? ORDER BY begun_ms, method",
            no());
        while (rows.next()) {
            told_trade& t = story_.trades.emplace_back();
            rows.read(t.method, t.state, t.price.money, t.price.in_points, t.begun_at, t.paid_at);
        }
    }
    void refunds() {
        auto rows = book_.ask(
            select_refunds("WHERE r.order_no = ? ORDER BY r.asked_since_ms, r.refund_no"), no());
        while (rows.next()) story_.refunds.push_back(read_refund(rows));
    }
    void messages() {
        auto rows = book_.ask(
            "SELECT id, at_ms, method, verdict, order_no, channel_no, raw FROM payment_messages "
            "WHERE order_no = ? ORDER BY id LIMIT 100",
            no());
        while (rows.next()) {
            channel_message& m = story_.messages.emplace_back();
            rows.read(m.id, m.at, m.method, m.verdict, m.order, m.channel_no);
            m.raw = as_text(rows.asked().bytes(6));
        }
    }
    void acts() {
        const std::string subject = "order " + sale::to_text(no());
        auto rows = book_.ask(
            "SELECT id, at_ms, user_id, action, subject, details, address FROM audit "
            "WHERE subject = ? ORDER BY id LIMIT 100",
            subject);
        while (rows.next()) {
            audit_line& l = story_.acts.emplace_back();
            rows.read(l.id, l.at, l.who, l.action, l.subject, l.details, l.address);
        }
    }

    store::connection& book_;
    order_story& story_;
};

}  // namespace

result<std::vector<sale::order>> order_search::find(const order_query& q, std::size_t limit) {
    return guarded("orders.search", [&]() -> result<std::vector<sale::order>> {
        const auto c = db_.reader();
        const wanted w = to_sql(q);
        const std::string hint =
            q.buyer ? fmt::format(fmt::runtime(c->speaks().by_index), "orders_of_buyer")
                    : std::string(c->speaks().by_key);
        store::row_cursor rows(c->cached(select_orders(w.where, hint)));
        int place = 0;
        for (const std::int64_t n : w.numbers) rows.asked().bind(++place, n);
        for (const std::string& word : w.words) rows.asked().bind(++place, std::string_view(word));
        rows.asked().bind(++place, static_cast<std::int64_t>(limit));
        std::vector<sale::order> orders;
        while (rows.next()) orders.push_back(read_order_row(rows).order);
        return orders;
    });
}

result<order_story> order_search::story(sale::order_no no) {
    auto told = guarded("orders.story", [&]() -> result<order_story> {
        const auto c = db_.reader();
        store::transaction t(*c, store::access::read);  // one view of all tables
        order_story s;
        {
            auto rows = c->ask(select_orders("WHERE o.order_no = ?"), no);
            if (!rows.next()) return errc::not_found;
            s.order = read_order_row(rows).order;
        }
        story_teller(*c, s).tell();
        return s;
    });
    if (!told) return told;
    auto letters = letter_book(db_).of_order(no);
    if (!letters) return letters.error();
    told->letters = *std::move(letters);
    return told;
}

}  // namespace floodgate::ledger
