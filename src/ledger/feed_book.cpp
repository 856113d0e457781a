#include "ledger/feed_book.hpp"

#include <algorithm>
#include <map>

#include "base/bytes.hpp"
#include "ledger/feed_log.hpp"
#include "ledger/guarded.hpp"
#include "ledger/id_statement.hpp"
#include "ledger/order_row.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

[[noreturn]] void damaged(const char* what) {
    throw store::sql_error(store::sql_failure::corrupt, what);
}

struct feed_state {
    std::int64_t next = 1, first_kept = 1;
};
feed_state state_in(store::connection& c, std::string_view lock = "") {
    std::string sql = "SELECT next_no, first_kept FROM feed_state WHERE line = 1";
    auto rows = c.ask(sql.append(lock));
    if (!rows.next()) damaged("the feed has no state");
    feed_state s;
    rows.read(s.next, s.first_kept);
    return s;
}

struct feed_row {
    std::int64_t id = 0, events = 0;
};
std::vector<feed_row> unnumbered(store::connection& c, std::size_t max) {
    auto rows =
        c.ask("SELECT id, events FROM feed WHERE first_no IS NULL ORDER BY id LIMIT ?", max);
    std::vector<feed_row> all;
    while (rows.next()) {
        feed_row& r = all.emplace_back();
        rows.read(r.id, r.events);
    }
    return all;
}

// Collects events whose orders and moves are still to be looked up.
class page_reader {
public:
    page_reader(store::connection& c, std::int64_t after, std::size_t limit)
        : connection_(c), after_(after), limit_(limit) {}

    std::vector<feed_event> read() {
        read_rows();
        look_up_moves();
        look_up_orders();
        return std::move(events_);
    }

private:
    void read_rows() {
        std::int64_t from = after_ + 1;
        {
            auto rows = connection_.ask("SELECT MAX(first_no) FROM feed WHERE first_no <= ?", from);
            std::optional<std::int64_t> first;
            if (rows.next()) rows.read(first);
            if (first) from = *first;
        }
        auto rows = connection_.ask(
            "SELECT first_no, events, kind, at_ms, payload FROM feed WHERE first_no >= ? "
            "ORDER BY first_no LIMIT ?",
            from, limit_ + 1);
        while (events_.size() < limit_ && rows.next()) add(rows);
    }

    void add(store::row_cursor& rows) {
        std::int64_t first = 0, count = 0;
        std::string kind;
        instant at;
        rows.read(first, count, kind, at);
        const byte_view payload = rows.asked().bytes(4);
        if (kind == feed_alert) {
            if (first <= after_) return;
            events_.push_back({.no = first, .at = at});
            events_.back().alert.assign(reinterpret_cast<const char*>(payload.data()),
                                        payload.size());
            return;
        }
        if (payload.size() != static_cast<std::size_t>(count) * 8) damaged("a row of the feed");
        const std::byte* next = payload.data();
        for (std::int64_t i = 0; i < count && events_.size() < limit_; ++i) {
            const auto number = take<std::uint64_t>(next);
            if (first + i <= after_) continue;
            feed_event& e = events_.emplace_back();
            e.no = first + i;
            e.at = at;
            if (kind == feed_entries) {
                e.order.no = {number};
            } else {
                moves_.emplace(static_cast<std::int64_t>(number), events_.size() - 1);
            }
        }
    }

    void look_up_moves() {
        std::vector<std::int64_t> ids;
        for (const auto& [id, place] : moves_) ids.push_back(id);
        const auto read = [&](store::row_cursor& rows) {
            while (rows.next()) {
                feed_event& e = events_[moves_.at(rows.get<std::int64_t>(0))];
                std::int64_t id = 0;
                std::string from, to;
                rows.read(id, e.order.no, from, to, e.reason, e.at);
                e.from = to_order_state(from);
                e.to = to_order_state(to);
            }
        };
        ask_for_ids(connection_,
                    "SELECT id, order_no, from_state, to_state, reason, at_ms FROM order_events "
                    "WHERE id IN {}",
                    ids, read);
    }

    void look_up_orders() {
        std::map<sale::order_no, sale::order> known;
        for (const feed_event& e : events_)
            if (e.order.no.value != 0) known[e.order.no];
        std::vector<sale::order_no> numbers;
        numbers.reserve(known.size());
        for (const auto& [no, order] : known) numbers.push_back(no);
        const auto read = [&](store::row_cursor& rows) {
            while (rows.next()) {
                const sale::order o = read_order_row(rows).order;
                known[o.no] = o;
            }
        };
        ask_for_ids(connection_, select_orders("WHERE o.order_no IN {}"), numbers, read);
        for (feed_event& e : events_) {
            if (e.order.no.value == 0) continue;
            e.order = known[e.order.no];
            if (e.from != sale::order_state{}) continue;
            // Its entry. A failed order stays failed, so the row still says how it was entered.
            const bool failed = e.order.state == sale::order_state::failed;
            e.from = sale::order_state::queued;
            e.to = failed ? sale::order_state::failed : sale::order_state::unpaid;
            if (failed) e.reason = e.order.reason;
        }
    }

    store::connection& connection_;
    const std::int64_t after_;
    const std::size_t limit_;
    std::vector<feed_event> events_;
    std::map<std::int64_t, std::size_t> moves_;  // ids in order_events, places in events_
};

}  // namespace

result<std::int64_t> feed_book::number_some(std::size_t rows) {
    return guarded("feed.number", [&]() -> result<std::int64_t> {
        if (unnumbered(*db_.reader(), 1).empty()) return 0;
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const std::int64_t first = state_in(*c, c->speaks().for_update).next;
        std::int64_t next = first;
        for (const feed_row& r : unnumbered(*c, rows)) {
            c->run("UPDATE feed SET first_no = ? WHERE id = ? AND first_no IS NULL", next, r.id);
            next += r.events;
        }
        c->run("UPDATE feed_state SET next_no = ? WHERE line = 1", next);
        t.commit();
        return next - first;
    });
}

result<std::int64_t> feed_book::next() {
    return guarded("feed.next",
                   [&]() -> result<std::int64_t> { return state_in(*db_.reader()).next; });
}

result<feed_page> feed_book::read(std::int64_t after, std::size_t limit) {
    return guarded("feed.read", [&]() -> result<feed_page> {
        const auto c = db_.reader();
        transaction t(*c, access::read);  // one view of the numbers and of what they mean
        const feed_state s = state_in(*c);
        feed_page page{.events = {}, .first_kept = s.first_kept, .next = s.next};
        if (after + 1 < s.next)
            page.events = page_reader(*c, std::max(after, s.first_kept - 1), limit).read();
        return page;
    });
}

result<std::size_t> feed_book::forget(instant before, std::size_t rows) {
    return guarded("feed.forget", [&]() -> result<std::size_t> {
        const auto oldest = [&](store::connection& c) {
            std::int64_t first = 0, events = 0, beyond = 0;
            std::size_t count = 0;
            instant at;
            auto found = c.ask(
                "SELECT first_no, events, at_ms FROM feed WHERE first_no > 0 ORDER BY first_no "
                "LIMIT ?",
                rows);
            while (found.next()) {
                found.read(first, events, at);
                if (at >= before) break;
                beyond = first + events;
                ++count;
            }
            return std::pair(beyond, count);
        };
        if (oldest(*db_.reader()).second == 0) return 0;
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const auto [beyond, count] = oldest(*c);
        c->run("DELETE FROM feed WHERE first_no < ?", beyond);
        c->run("UPDATE feed_state SET first_kept = ? WHERE line = 1 AND first_kept < ?", beyond,
               beyond);
        t.commit();
        return count;
    });
}

result<void> feed_book::add_alerts(const std::vector<std::string>& alerts, instant at) {
    return guarded("feed.add_alerts", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        for (const std::string& a : alerts) {
            const std::string_view text = std::string_view(a).substr(0, alert_bytes_max);
            c->run("INSERT INTO feed (events, kind, at_ms, payload) VALUES (1, ?, ?, ?)",
                   feed_alert, at, byte_view(std::as_bytes(std::span(text))));
        }
        t.commit();
        return {};
    });
}

}  // namespace floodgate::ledger
