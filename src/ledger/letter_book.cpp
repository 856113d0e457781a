#include "ledger/letter_book.hpp"

#include <cstdlib>

#include "base/cut_text.hpp"
#include "ledger/conditions.hpp"
#include "ledger/entry.hpp"
#include "ledger/event_log.hpp"
#include "ledger/guarded.hpp"
#include "ledger/journal_position.hpp"
#include "ledger/letter_payload.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

constexpr std::size_t text_bytes_max = 500;  // of letters.cause and letters.note
constexpr const char* discarded = "discarded";

// A letter as text, to which the callers add which ones they want.
const std::string all_letters =
    "SELECT order_no, sale_id, units, state, id, cause, attempts, first_ms, last_ms, next_try_ms, "
    "decided_by, note, payload FROM letters";
const std::string letters_where = all_letters + " WHERE ";

letter letter_in(store::row_cursor& rows) {
    letter l;
    letter_key key;
    std::string state;
    rows.read(key.order, key.sale, key.units, state, l.id, l.cause, l.attempts, l.first_at,
              l.last_at, l.next_try, l.decided_by, l.note);
    const auto known = parse_letter_state(state);
    if (!known)
        throw store::sql_error(store::sql_failure::corrupt,
                               "a letter is in no known state: " + state);
    l.state = *known;
    if (const auto p = promise_in(rows.asked().bytes(12), key)) {
        l.promise = *p;
    } else {
        l.promise.order = key.order;
        l.promise.sale = key.sale;
        l.promise.quantity = static_cast<std::uint32_t>(key.units);
    }
    return l;
}

bool readable(const letter& l) { return l.promise.buyer.value != 0; }

std::vector<letter> letters_in(store::row_cursor rows) {
    std::vector<letter> all;
    while (rows.next()) all.push_back(letter_in(rows));
    return all;
}

result<letter> find_in(store::connection& c, std::int64_t id) {
    auto rows = c.ask(letters_where + "id = ?", id);
    if (!rows.next()) return errc::not_found;
    return letter_in(rows);
}

struct decision {
    letter_state state{};
    sale::user_id who;
    std::string_view note;
    instant now;
};

// Gives the letter as it was; conflict when it has been decided already.
result<letter> decide(store::connection& c, std::int64_t id, const decision& d) {
    auto found = find_in(c, id);
    if (!found) return found;
    if (c.run("UPDATE letters SET state = ?, decided_by = ?, note = ?, last_ms = ? WHERE id = ? "
              "AND state IN ('waiting', 'dead')",
              to_text(d.state), d.who, cut_text(d.note, text_bytes_max), d.now, id) == 0)
        return errc::conflict;
    if (!readable(*found))
        throw store::sql_error(store::sql_failure::corrupt,
                               "the payload of letter " + std::to_string(id) + " is unreadable");
    return found;
}

letter_state state_after(const setback& why) {
    return why.permanent ? letter_state::dead : letter_state::waiting;
}

sale::order failed_order(const sale::promise& p) {
    sale::order o = sale::order_from(p);
    o.state = sale::order_state::failed;
    o.reason = discarded;
    return o;
}

}  // namespace

const char* to_text(letter_state state) {
    switch (state) {
    case letter_state::waiting: return "waiting";
    case letter_state::dead: return "dead";
    case letter_state::replayed: return "replayed";
    case letter_state::discarded: return "discarded";
    }
    std::abort();  // A value outside the enum is a bug, not an input.
}

std::optional<letter_state> parse_letter_state(std::string_view text) {
    for (const auto s : {letter_state::waiting, letter_state::dead, letter_state::replayed,
                         letter_state::discarded})
        if (text == to_text(s)) return s;
    return std::nullopt;
}

result<void> letter_book::put_aside(const sale::promise& p, line_position last,
                                    const setback& why) {
    return guarded_entry("letters.put_aside", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (last.at <= take_position(*c, last.line)) return {};
        lock_sales(*c, {&p, 1});  // so that it is not entered as a stray at the same time
        if (known_numbers(*c, {&p, 1}).empty())
            c->run(
                "INSERT INTO letters (order_no, sale_id, units, payload, state, cause, attempts, "
                "first_ms, last_ms, next_try_ms, decided_by, note) "
                "VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, 0, '')",
                p.order, p.sale, p.quantity, encode(p), to_text(state_after(why)),
                cut_text(why.cause, text_bytes_max), why.now, why.now, why.next_try);
        move_position(*c, last);
        t.commit();
        return {};
    });
}

result<std::vector<letter>> letter_book::due(instant now, std::size_t max) {
    return guarded("letters.due", [&]() -> result<std::vector<letter>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            letters_where + "state = 'waiting' AND next_try_ms <= ? ORDER BY next_try_ms, id", now);
        std::vector<letter> found;
        while (found.size() < max && rows.next()) {
            letter l = letter_in(rows);
            if (readable(l)) found.push_back(std::move(l));
        }
        return found;
    });
}

result<entry_report> letter_book::replay(std::int64_t id, sale::user_id who, instant now,
                                         const audit_maker<entry_report>& signed_by) {
    return guarded_entry("letters.replay", [&]() -> result<entry_report> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const auto decided = decide(*c, id, {letter_state::replayed, who, "", now});
        if (!decided) return decided.error();
        entry_report report = entry(*c, now).run({&decided->promise, 1});
        if (signed_by) write_audit(*c, signed_by(report));
        t.commit();
        return report;
    });
}

result<void> letter_book::set_back(std::int64_t id, const setback& why) {
    return guarded("letters.set_back", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (c->run("UPDATE letters SET state = ?, cause = ?, attempts = attempts + 1, last_ms = ?, "
                   "next_try_ms = ? WHERE id = ? AND state IN ('waiting', 'dead')",
                   to_text(state_after(why)), cut_text(why.cause, text_bytes_max), why.now,
                   why.next_try, id) == 0) {
            if (!find_in(*c, id)) return errc::not_found;
            return errc::conflict;
        }
        t.commit();
        return {};
    });
}

result<sale::order> letter_book::discard(std::int64_t id, sale::user_id who,
                                         const std::string& note, instant now,
                                         const audit_maker<sale::order>& signed_by) {
    return guarded_entry("letters.discard", [&]() -> result<sale::order> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        const auto decided = decide(*c, id, {letter_state::discarded, who, note, now});
        if (!decided) return decided.error();
        const sale::promise& p = decided->promise;
        if (!book_failed(*c, p, discarded)) return errc::conflict;  // it is an order after all
        write_event(*c, {p.order, p.buyer, p.sale, sale::order_state::queued,
                         sale::order_state::failed, discarded, now});
        sale::order order = failed_order(p);
        if (signed_by) write_audit(*c, signed_by(order));
        t.commit();
        return order;
    });
}

result<letter> letter_book::find(std::int64_t id) {
    return guarded("letters.find", [&]() -> result<letter> { return find_in(*db_.reader(), id); });
}

result<std::vector<letter>> letter_book::of_order(sale::order_no no) {
    return guarded("letters.of_order", [&]() -> result<std::vector<letter>> {
        return letters_in(db_.reader()->ask(letters_where + "order_no = ?", no));
    });
}

result<std::vector<letter>> letter_book::list(std::optional<letter_state> state,
                                              std::int64_t before, std::size_t limit,
                                              sale::sale_id of) {
    return guarded("letters.list", [&]() -> result<std::vector<letter>> {
        conditions all;
        all.add("id < ?", before == 0 ? INT64_MAX : before);
        if (state) all.add("state = ?", std::string(to_text(*state)));
        if (of.value != 0) all.add("sale_id = ?", of.value);
        const auto c = db_.reader();
        return letters_in(all.ask(*c, all_letters, " ORDER BY id DESC LIMIT ?",
                                  static_cast<std::int64_t>(limit)));
    });
}

result<void> letter_book::for_each_open(const std::function<void(const letter&)>& visit) {
    return guarded_visit("letters.for_each_open", [&]() -> result<void> {
        const auto c = db_.reader();
        auto rows = c->ask(letters_where + "state IN ('waiting', 'dead') ORDER BY order_no");
        while (rows.next()) visit(letter_in(rows));
        return {};
    });
}

result<letter_counts> letter_book::count() {
    return guarded("letters.count", [&]() -> result<letter_counts> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT state, COUNT(*) FROM letters WHERE state IN ('waiting', 'dead') GROUP BY "
            "state");
        letter_counts counts;
        while (rows.next()) {
            const bool waiting = rows.asked().text(0) == to_text(letter_state::waiting);
            (waiting ? counts.waiting : counts.dead) = rows.get<std::int64_t>(1);
        }
        return counts;
    });
}

}  // namespace floodgate::ledger
