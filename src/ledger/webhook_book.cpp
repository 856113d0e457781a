#include "ledger/webhook_book.hpp"

#include <array>

#include "base/cut_text.hpp"
#include "ledger/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::access;
using store::transaction;

constexpr std::array states{webhook_state::active, webhook_state::paused, webhook_state::dead};

constexpr std::string_view columns =
    "SELECT id, url, kinds, secret, old_secret, old_until_ms, delivered, created_ms, tries, "
    "failing_since_ms, next_try_ms, state FROM webhooks ";

webhook read(const store::row_cursor& rows) {
    webhook w;
    std::string state;
    rows.read(w.id, w.url, w.kinds, w.secret, w.old_secret, w.old_until, w.delivered, w.created_at,
              w.tries, w.failing_since, w.next_try, state);
    for (const webhook_state s : states)
        if (state == to_text(s)) w.state = s;
    return w;
}

}  // namespace

const char* to_text(webhook_state s) {
    switch (s) {
    case webhook_state::active: return "active";
    case webhook_state::paused: return "paused";
    case webhook_state::dead: return "dead";
    }
    return "?";
}

result<std::vector<webhook>> webhook_book::all() {
    return guarded("webhooks.all", [&]() -> result<std::vector<webhook>> {
        const auto c = db_.reader();
        auto rows = c->ask(std::string(columns) + "ORDER BY id");
        std::vector<webhook> found;
        while (rows.next()) found.push_back(read(rows));
        return found;
    });
}

result<webhook> webhook_book::find(std::int64_t id) {
    return guarded("webhooks.find", [&]() -> result<webhook> {
        const auto c = db_.reader();
        auto rows = c->ask(std::string(columns) + "WHERE id = ?", id);
        if (!rows.next()) return errc::not_found;
        return read(rows);
    });
}

result<std::int64_t> webhook_book::add(const webhook& w,
                                       const audit_maker<std::int64_t>& signed_by) {
    return guarded("webhooks.add", [&]() -> result<std::int64_t> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        {
            std::string sql = "SELECT id FROM webhooks";
            auto rows = c->ask(sql.append(c->speaks().for_update));
            std::size_t count = 0;
            while (rows.next()) ++count;
            if (count >= webhooks_max) return errc::conflict;
        }
        c->run(
            "INSERT INTO webhooks (url, kinds, state, secret, old_secret, old_until_ms, delivered, "
            "created_ms, tries, failing_since_ms, next_try_ms) "
            "VALUES (?, ?, ?, ?, '', 0, ?, ?, 0, 0, 0)",
            w.url, w.kinds, to_text(w.state), w.secret, w.delivered, w.created_at);
        const std::int64_t id = c->last_insert_id();
        if (signed_by) write_audit(*c, signed_by(id));
        t.commit();
        return id;
    });
}

template <class... Values>
result<void> webhook_book::change(const char* name, const audit_note& line, std::string_view sql,
                                  const Values&... values) {
    return guarded(name, [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (c->run(sql, values...) == 0) return errc::not_found;
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

// `tries` grows in each of these, because MariaDB does not count a row that stays as it was.
result<void> webhook_book::set_target(std::int64_t id, const std::string& url,
                                      const std::string& kinds, const audit_note& line) {
    return change("webhooks.set_target", line,
                  "UPDATE webhooks SET url = ?, kinds = ?, tries = tries + 1, next_try_ms = 0 "
                  "WHERE id = ?",
                  url, kinds, id);
}

result<void> webhook_book::set_state(std::int64_t id, webhook_state to, const audit_note& line) {
    return change("webhooks.set_state", line,
                  "UPDATE webhooks SET state = ?, tries = CASE WHEN tries = 0 THEN 1 ELSE 0 END, "
                  "failing_since_ms = 0, next_try_ms = 0 WHERE id = ?",
                  to_text(to), id);
}

result<void> webhook_book::rotate(std::int64_t id, const std::string& secret, instant old_until,
                                  const audit_note& line) {
    return change("webhooks.rotate", line,
                  "UPDATE webhooks SET old_secret = secret, old_until_ms = ?, secret = ? "
                  "WHERE id = ?",
                  old_until, secret, id);
}

result<void> webhook_book::replay(std::int64_t id, std::int64_t after, const audit_note& line) {
    return change("webhooks.replay", line,
                  "UPDATE webhooks SET delivered = ?, tries = tries + 1, next_try_ms = 0 "
                  "WHERE id = ?",
                  after, id);
}

result<void> webhook_book::remove(std::int64_t id, const audit_note& line) {
    return guarded("webhooks.remove", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        if (c->run("DELETE FROM webhooks WHERE id = ?", id) == 0) return errc::not_found;
        c->run("DELETE FROM webhook_attempts WHERE webhook_id = ?", id);
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

result<void> webhook_book::note_delivered(const webhook& w, std::int64_t upto) {
    return guarded("webhooks.delivered", [&]() -> result<void> {
        db_.writer()->run(
            "UPDATE webhooks SET delivered = ?, tries = 0, failing_since_ms = 0, next_try_ms = 0 "
            "WHERE id = ? AND state = 'active' AND delivered = ?",
            upto, w.id, w.delivered);
        return {};
    });
}

result<void> webhook_book::note_failed(const webhook& w, instant now, instant next_try, bool dead) {
    const instant since = w.failing_since == instant{} ? now : w.failing_since;
    const webhook_state to = dead ? webhook_state::dead : webhook_state::active;
    return guarded("webhooks.failed", [&]() -> result<void> {
        db_.writer()->run(
            "UPDATE webhooks SET tries = tries + 1, failing_since_ms = ?, next_try_ms = ?, "
            "state = ? WHERE id = ? AND state = 'active' AND delivered = ?",
            since, next_try, to_text(to), w.id, w.delivered);
        return {};
    });
}

result<void> webhook_book::add_attempt(std::int64_t id, const webhook_attempt& a) {
    return guarded("webhooks.add_attempt", [&]() -> result<void> {
        const auto c = db_.writer();
        transaction t(*c, access::write);
        c->run(
            "INSERT INTO webhook_attempts (webhook_id, at_ms, status, took_ms, events, last_no, "
            "error) VALUES (?, ?, ?, ?, ?, ?, ?)",
            id, a.at, a.status, a.took.count(), a.events, a.last_no, cut_text(a.error, 200));
        std::int64_t oldest = 0;
        {
            auto rows = c->ask(
                "SELECT id FROM webhook_attempts WHERE webhook_id = ? ORDER BY id DESC "
                "LIMIT 1 OFFSET 100",
                id);
            if (rows.next()) oldest = rows.get<std::int64_t>(0);
        }
        if (oldest != 0)
            c->run("DELETE FROM webhook_attempts WHERE webhook_id = ? AND id <= ?", id, oldest);
        t.commit();
        return {};
    });
}

result<std::vector<webhook_attempt>> webhook_book::attempts(std::int64_t id, std::size_t limit) {
    return guarded("webhooks.attempts", [&]() -> result<std::vector<webhook_attempt>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT id, at_ms, status, took_ms, events, last_no, error FROM webhook_attempts "
            "WHERE webhook_id = ? ORDER BY id DESC LIMIT ?",
            id, limit);
        std::vector<webhook_attempt> all;
        while (rows.next()) {
            webhook_attempt& a = all.emplace_back();
            std::int64_t took = 0;
            rows.read(a.id, a.at, a.status, took, a.events, a.last_no, a.error);
            a.took = milliseconds(took);
        }
        return all;
    });
}

}  // namespace floodgate::ledger
