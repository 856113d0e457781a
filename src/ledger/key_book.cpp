#include "ledger/key_book.hpp"

#include "ledger/guarded.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::string_view select_key =
    "SELECT id, name, scopes, secret_hash, created_ms, created_by, expires_ms, last_used_ms, "
    "revoked_ms FROM api_keys ";

std::string select(std::string_view rest) { return std::string(select_key).append(rest); }

api_key_row read_key(const store::row_cursor& rows) {
    api_key_row k;
    rows.read(k.id, k.name, k.scopes, k.secret, k.created_at, k.created_by, k.expires_at,
              k.last_used_at, k.revoked_at);
    return k;
}

std::vector<api_key_row> read_all(store::row_cursor&& rows) {
    std::vector<api_key_row> keys;
    while (rows.next()) keys.push_back(read_key(rows));
    return keys;
}

std::int64_t only_number(store::row_cursor&& rows) {
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

}  // namespace

void note_access_changed(store::connection& c) {
    c.run("UPDATE access_revision SET revision = revision + 1 WHERE id = 1");
}

result<std::int64_t> key_book::add(const api_key_row& key,
                                   const audit_maker<std::int64_t>& signed_by) {
    return guarded("keys.add", [&]() -> result<std::int64_t> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        note_access_changed(*c);  // first: others that add keys wait here, so the count is right
        if (only_number(c->ask("SELECT COUNT(*) FROM api_keys WHERE revoked_ms = 0")) >= keys_max)
            return errc::conflict;
        c->run(
            "INSERT INTO api_keys (name, scopes, secret_hash, created_ms, created_by, expires_ms, "
            "last_used_ms, revoked_ms) VALUES (?, ?, ?, ?, ?, ?, 0, 0)",
            key.name, key.scopes, key.secret, key.created_at, key.created_by, key.expires_at);
        const std::int64_t id = c->last_insert_id();
        write_audit(*c, signed_by(id));
        t.commit();
        return id;
    });
}

result<api_key_row> key_book::find(std::int64_t id) {
    return guarded("keys.find", [&]() -> result<api_key_row> {
        const auto c = db_.reader();
        auto rows = c->ask(select("WHERE id = ?"), id);
        if (!rows.next()) return errc::not_found;
        return read_key(rows);
    });
}

result<std::vector<api_key_row>> key_book::list(std::int64_t before, std::size_t limit) {
    return guarded("keys.list", [&]() -> result<std::vector<api_key_row>> {
        const auto c = db_.reader();
        const std::int64_t below = before == 0 ? INT64_MAX : before;
        return read_all(c->ask(select("WHERE id < ? ORDER BY id DESC LIMIT ?"), below, limit));
    });
}

result<void> key_book::revoke(std::int64_t id, instant now, const audit_note& line) {
    return guarded("keys.revoke", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (c->run("UPDATE api_keys SET revoked_ms = ? WHERE id = ? AND revoked_ms = 0", now, id) ==
            0) {
            if (only_number(c->ask("SELECT COUNT(*) FROM api_keys WHERE id = ?", id)) == 0)
                return errc::not_found;
            return {};
        }
        note_access_changed(*c);
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

result<void> key_book::note_use(std::int64_t id, instant at) {
    return guarded("keys.note_use", [&]() -> result<void> {
        db_.writer()->run("UPDATE api_keys SET last_used_ms = ? WHERE id = ? AND last_used_ms < ?",
                          at, id, at);
        return {};
    });
}

result<std::vector<api_key_row>> key_book::valid(instant now) {
    return guarded("keys.valid", [&]() -> result<std::vector<api_key_row>> {
        const auto c = db_.reader();
        return read_all(
            c->ask(select("WHERE revoked_ms = 0 AND (expires_ms = 0 OR expires_ms > ?)"), now));
    });
}

result<std::vector<sale::user_id>> key_book::disabled_users() {
    return guarded("keys.disabled_users", [&]() -> result<std::vector<sale::user_id>> {
        const auto c = db_.reader();
        auto rows = c->ask("SELECT id FROM users WHERE disabled_ms > 0");
        std::vector<sale::user_id> users;
        while (rows.next()) users.push_back(rows.get<sale::user_id>(0));
        return users;
    });
}

result<std::int64_t> key_book::access_revision() {
    return guarded("keys.access_revision", [&]() -> result<std::int64_t> {
        const auto c = db_.reader();
        return only_number(c->ask("SELECT revision FROM access_revision WHERE id = 1"));
    });
}

}  // namespace floodgate::ledger
