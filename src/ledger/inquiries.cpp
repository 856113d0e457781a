// The part of move_book that reads: the open inquiries, the buyer's mailbox, and the buyers who
// gave up orders.

#include "base/cut_text.hpp"
#include "ledger/guarded.hpp"
#include "ledger/move_book.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::size_t note_size_max = 200;

std::vector<open_question> questions_in(store::row_cursor rows) {
    std::vector<open_question> all;
    while (rows.next()) {
        order_row r = read_order_row(rows);
        open_question& q = all.emplace_back();
        q.what = r.question == asks_refund ? question::refund : question::close;
        q.order = std::move(r.order);
        q.method = std::move(r.method);
        q.tries = static_cast<std::uint32_t>(r.tries);
        q.note = std::move(r.note);
        q.asked_since = r.asked_since;
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
        return questions_in(
            c->ask(select_orders("WHERE p.question IN ('close', 'refund') AND p.next_try_ms <= ? "
                                 "ORDER BY p.next_try_ms, p.order_no LIMIT ?"),
                   now, max));
    });
}

result<void> move_book::ask_again(sale::order_no no, instant at, const std::string& note) {
    return guarded("moves.ask_again", [&]() -> result<void> {
        if (db_.writer()->run("UPDATE payments SET tries = tries + 1, next_try_ms = ?, note = ? "
                              "WHERE order_no = ? AND question <> ''",
                              at, cut_text(note, note_size_max), no) == 0)
            return errc::not_found;
        return {};
    });
}

result<std::vector<open_question>> move_book::all_questions(sale::order_no after, std::size_t max) {
    return guarded("moves.all_questions", [&]() -> result<std::vector<open_question>> {
        const auto c = db_.reader();
        return questions_in(
            c->ask(select_orders("WHERE p.question IN ('close', 'refund') AND p.order_no > ? "
                                 "ORDER BY p.order_no LIMIT ?"),
                   after, max));
    });
}

result<std::int64_t> move_book::count_questions() {
    return guarded("moves.count_questions", [&]() -> result<std::int64_t> {
        const auto c = db_.reader();
        auto rows = c->ask("SELECT COUNT(*) FROM payments WHERE question IN ('close', 'refund')");
        return rows.next() ? rows.get<std::int64_t>(0) : 0;
    });
}

result<instant> move_book::oldest_question() {
    return guarded("moves.oldest_question", [&]() -> result<instant> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT asked_since_ms FROM payments WHERE question IN ('close', 'refund') "
            "ORDER BY asked_since_ms LIMIT 1");
        return rows.next() ? rows.get<instant>(0) : never;
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
