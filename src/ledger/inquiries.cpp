// The part of move_book that reads: the open inquiries, the buyer's mailbox, and the buyers who
// gave up orders.

#include <algorithm>
#include <map>
#include <optional>

#include "base/cut_text.hpp"
#include "ledger/guarded.hpp"
#include "ledger/id_statement.hpp"
#include "ledger/move_book.hpp"
#include "ledger/order_row.hpp"
#include "ledger/refund_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::size_t note_size_max = 200;

// Inquiries whose orders are still to be read: only the numbers are set.
using found_questions = std::vector<open_question>;

constexpr const char* asked_trades =
    "SELECT order_no, method, tries, note, asked_since_ms, next_try_ms FROM trades "
    "WHERE asked = 1 ";

// A row that cannot be read must not hold up the others. The inspection names it.
template <class Read>
bool can_be_read(Read read) {
    try {
        read();
        return true;
    } catch (const store::sql_error& e) {
        if (e.kind() != store::sql_failure::corrupt) throw;
        return false;
    }
}

void add_trades(found_questions& all, store::row_cursor rows) {
    while (rows.next()) {
        open_question& q = all.emplace_back();
        q.what = question::close;
        rows.read(q.order.no, q.method, q.tries, q.note, q.asked_since, q.next_try);
    }
}

void add_refunds(found_questions& all, store::row_cursor rows) {
    while (rows.next()) {
        open_question q;
        if (!can_be_read([&] { q.refund = read_refund(rows); })) continue;
        q.what = question::refund;
        q.order.no = q.refund.order;
        q.method = q.refund.method;
        q.asked_since = q.refund.asked_at;
        q.tries = rows.get<std::uint32_t>(refund_columns);
        q.note = rows.get<std::string>(refund_columns + 1);
        q.next_try = rows.get<instant>(refund_columns + 2);
        all.push_back(std::move(q));
    }
}

// A question whose order is gone or unreadable is left out.
std::vector<open_question> with_orders(store::connection& c, found_questions found) {
    std::vector<sale::order_no> numbers;
    for (const open_question& q : found) numbers.push_back(q.order.no);
    std::map<sale::order_no, sale::order> orders;
    const auto read = [&](store::row_cursor& rows) {
        while (rows.next()) {
            order_row r;
            if (can_be_read([&] { r = read_order_row(rows); }))
                orders.emplace(r.order.no, std::move(r.order));
        }
    };
    ask_for_ids(c, select_orders("WHERE o.order_no IN {}"), numbers, read);
    std::vector<open_question> all;
    for (open_question& q : found) {
        const auto order = orders.find(q.order.no);
        if (order == orders.end()) continue;
        q.order = order->second;
        all.push_back(std::move(q));
    }
    return all;
}

std::vector<giving_up_buyer> buyers_in(store::row_cursor rows) {
    std::vector<giving_up_buyer> all;
    while (rows.next()) {
        giving_up_buyer& b = all.emplace_back();
        rows.read(b.buyer, b.times, b.last);
    }
    return all;
}

}  // namespace

result<std::vector<open_question>> move_book::open_questions(instant now, std::size_t max) {
    return guarded("moves.open_questions", [&]() -> result<std::vector<open_question>> {
        const auto c = db_.reader();
        found_questions found;
        add_trades(found, c->ask(std::string(asked_trades) +
                                     "AND next_try_ms <= ? ORDER BY next_try_ms LIMIT ?",
                                 now, max));
        add_refunds(found, c->ask(select_refunds("WHERE r.state = 'asked' AND r.next_try_ms <= ? "
                                                 "ORDER BY r.next_try_ms LIMIT ?"),
                                  now, max));
        std::ranges::stable_sort(found, {}, &open_question::next_try);
        if (found.size() > max) found.resize(max);
        return with_orders(*c, std::move(found));
    });
}

result<void> move_book::ask_again(const open_question& q, instant at, const std::string& note,
                                  attempt_list calls) {
    std::vector<const payment_attempt*> made;
    for (const payment_attempt& a : calls) made.push_back(&a);
    return guarded("moves.ask_again", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        const std::string_view why = cut_text(note, note_size_max);
        const auto found =
            q.what == question::close
                ? c->run(
                      "UPDATE trades SET tries = tries + 1, next_try_ms = ?, note = ? "
                      "WHERE order_no = ? AND method = ? AND asked = 1",
                      at, why, q.order.no, std::string_view(q.method))
                : c->run(
                      "UPDATE refunds SET tries = tries + 1, note = ?, next_try_ms = "
                      "CASE WHEN next_try_ms = ? THEN ? ELSE next_try_ms END "
                      "WHERE refund_no = ? AND state = ?",
                      why, q.next_try, at, std::string_view(q.refund.number), refund_is_asked);
        // Calls that were overtaken were made all the same.
        write_attempts(*c, made);
        if (q.tries % attempt_book::trim_every == attempt_book::trim_every - 1)
            trim_attempts(*c, q.order.no);
        t.commit();
        if (found == 0) return errc::not_found;
        return {};
    });
}

result<void> move_book::ask_now(const std::string& refund_no, instant now,
                                const std::string& note) {
    return guarded("moves.ask_now", [&]() -> result<void> {
        const auto c = db_.writer();
        const std::string_view why = cut_text(note, note_size_max);
        const auto found = c->run(
            "UPDATE refunds SET next_try_ms = ?, note = CASE WHEN ? = '' THEN note ELSE ? END "
            "WHERE refund_no = ? AND state = ?",
            now, why, why, std::string_view(refund_no), refund_is_asked);
        if (found == 0) return errc::not_found;
        return {};
    });
}

result<std::vector<open_question>> move_book::all_questions(sale::order_no after, std::size_t max) {
    return guarded("moves.all_questions", [&]() -> result<std::vector<open_question>> {
        const auto c = db_.reader();
        const std::size_t enough = max + per_order_max;
        found_questions found;
        add_trades(found,
                   c->ask(std::string(asked_trades) + "AND order_no > ? ORDER BY order_no LIMIT ?",
                          after, enough));
        add_refunds(found, c->ask(select_refunds("WHERE r.state = 'asked' AND r.order_no > ? "
                                                 "ORDER BY r.order_no LIMIT ?"),
                                  after, enough));
        const auto number = [](const open_question& q) { return q.order.no; };
        std::ranges::stable_sort(found, {}, number);
        found.resize(end_of_order(found, max, number));
        return with_orders(*c, std::move(found));
    });
}

result<std::int64_t> move_book::count_questions() {
    return guarded("moves.count_questions", [&]() -> result<std::int64_t> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT (SELECT COUNT(*) FROM trades WHERE asked = 1) + "
            "(SELECT COUNT(*) FROM refunds WHERE state = 'asked')");
        return rows.next() ? rows.get<std::int64_t>(0) : 0;
    });
}

result<instant> move_book::oldest_question() {
    return guarded("moves.oldest_question", [&]() -> result<instant> {
        const auto c = db_.reader();
        instant oldest = never;
        for (const char* sql : {"SELECT MIN(asked_since_ms) FROM trades WHERE asked = 1",
                                "SELECT MIN(asked_since_ms) FROM refunds WHERE state = 'asked'"}) {
            auto rows = c->ask(sql);
            if (!rows.next()) continue;
            if (const auto since = rows.get<std::optional<instant>>(0))
                oldest = std::min(oldest, *since);
        }
        return oldest;
    });
}

result<std::vector<order_event_line>> move_book::events_of(sale::user_id buyer, std::int64_t since,
                                                           std::size_t max) {
    return guarded("moves.events_of", [&]() -> result<std::vector<order_event_line>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT id, order_no, sale_id, reason, at_ms, from_state, to_state FROM order_events "
            "WHERE buyer_id = ? AND id > ? ORDER BY id LIMIT ?",
            buyer, since, max);
        std::vector<order_event_line> lines;
        while (rows.next()) {
            order_event_line& e = lines.emplace_back();
            rows.read(e.id, e.order, e.sale, e.reason, e.at);
            e.from = to_order_state(rows.get<std::string>(5));
            e.to = to_order_state(rows.get<std::string>(6));
        }
        return lines;
    });
}

result<std::int64_t> move_book::latest_event_of(sale::user_id buyer) {
    return guarded("moves.latest_event_of", [&]() -> result<std::int64_t> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT id FROM order_events WHERE buyer_id = ? ORDER BY id DESC LIMIT 1", buyer);
        return rows.next() ? rows.get<std::int64_t>(0) : 0;
    });
}

// The index order_events_of_sale alone answers both queries below.

result<std::vector<giving_up_buyer>> move_book::given_up_since(sale::sale_id sale, instant since) {
    return guarded("moves.given_up_since", [&]() -> result<std::vector<giving_up_buyer>> {
        const auto c = db_.reader();
        return buyers_in(
            c->ask("SELECT buyer_id, COUNT(*), MAX(at_ms) FROM order_events WHERE sale_id = ? AND "
                   "to_state = 'closed' AND from_state = 'unpaid' AND at_ms > ? GROUP BY buyer_id "
                   "ORDER BY buyer_id",
                   sale, since));
    });
}

result<std::vector<giving_up_buyer>> move_book::given_up_most(sale::sale_id sale, std::size_t max) {
    return guarded("moves.given_up_most", [&]() -> result<std::vector<giving_up_buyer>> {
        const auto c = db_.reader();
        return buyers_in(c->ask(
            "SELECT buyer_id, COUNT(*) AS times, MAX(at_ms) AS latest FROM order_events WHERE "
            "sale_id = ? AND to_state = 'closed' AND from_state = 'unpaid' GROUP BY buyer_id "
            "ORDER BY times DESC, latest DESC, buyer_id LIMIT ?",
            sale, max));
    });
}

}  // namespace floodgate::ledger
