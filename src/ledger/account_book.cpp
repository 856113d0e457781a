#include "ledger/account_book.hpp"

#include <utility>

#include "ledger/account_rows.hpp"
#include "ledger/guarded.hpp"
#include "ledger/key_book.hpp"

namespace floodgate::ledger {

result<ended_logins> account_book::change_password(const new_password& p, const audit_note& line) {
    return guarded("accounts.change_password", [&]() -> result<ended_logins> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (c->run("UPDATE users SET password_hash = ?, must_change_password = 0 "
                   "WHERE id = ? AND password_hash = ?",
                   p.hash, p.user, p.old_hash) == 0)
            return errc::conflict;
        auto ended = delete_logins(*c, p.user, p.kept ? &*p.kept : nullptr);
        write_audit(*c, line);
        t.commit();
        return ended;
    });
}

result<std::vector<sale::login>> account_book::logins_of(sale::user_id user, instant now) {
    return guarded("accounts.logins_of", [&]() -> result<std::vector<sale::login>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT token_hash, expires_ms, created_ms, address, role, standing FROM logins "
            "WHERE user_id = ? AND expires_ms > ? ORDER BY created_ms DESC, token_hash",
            user, now);
        std::vector<sale::login> found;
        while (rows.next()) {
            sale::login& l = found.emplace_back();
            l.user = user;
            rows.read(l.hash, l.expires_at, l.created_at, l.address);
            l.role = to_role(rows.asked().text(4));
            l.standing = to_standing(rows.asked().text(5));
        }
        return found;
    });
}

result<ended_logins> account_book::end_logins(sale::user_id user, const sale::token_hash& kept) {
    return guarded("accounts.end_logins", [&]() -> result<ended_logins> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        auto ended = delete_logins(*c, user, &kept);
        t.commit();
        return ended;
    });
}

namespace {

std::optional<sale::user> read_external(store::connection& c, const std::string& external_id) {
    auto rows = c.ask(select_user("WHERE external_id = ?"), external_id);
    if (!rows.next()) return std::nullopt;
    return read_user(rows);
}

void add_external(store::connection& c, const account_book::external_user& who, instant now) {
    std::string insert(c.speaks().insert_ignore);
    insert.append(
        " INTO users (phone, nickname, password_hash, role, created_ms, external_id) "
        "VALUES (?, ?, '', ?, ?, ?)");
    const std::string phone = no_phone();
    c.run(insert, phone, who.nickname, to_word(sale::role::buyer), now, who.external_id);
}

}  // namespace

// Another node may add the same user meanwhile: the insertion then changes nothing.
result<sale::user> account_book::find_or_add(const external_user& who, instant now) {
    return guarded("accounts.find_or_add", [&]() -> result<sale::user> {
        auto found = read_external(*db_.reader(), who.external_id);
        if (found && (who.nickname.empty() || found->nickname == who.nickname ||
                      found->forgotten_at != instant{}))
            return *found;
        const auto c = db_.writer();
        if (!found)
            add_external(*c, who, now);
        else
            c->run("UPDATE users SET nickname = ? WHERE id = ?", who.nickname, found->id);
        found = read_external(*c, who.external_id);
        if (!found) return errc::store_unavailable;
        return *found;
    });
}

result<sale::user> account_book::find_external(const std::string& external_id) {
    return guarded("accounts.find_external", [&]() -> result<sale::user> {
        return only_user(db_.reader()->ask(select_user("WHERE external_id = ?"), external_id));
    });
}

result<std::vector<sale::user>> account_book::list(std::int64_t before, std::size_t limit) {
    return guarded("accounts.list", [&]() -> result<std::vector<sale::user>> {
        const auto c = db_.reader();
        const std::int64_t below = before == 0 ? INT64_MAX : before;
        auto rows = c->ask(select_user("WHERE id < ? ORDER BY id DESC LIMIT ?"), below, limit);
        std::vector<sale::user> users;
        while (rows.next()) users.push_back(read_user(rows));
        return users;
    });
}

namespace {

sale::user find_for_update(store::connection& c, sale::user_id id, bool& found) {
    std::string sql = select_user("WHERE id = ?");
    auto rows = c.ask(sql.append(c.speaks().for_update), id);
    found = rows.next();
    return found ? read_user(rows) : sale::user{};
}

// Runs `change(connection, user)` in a transaction with what belongs to every change of a user. An
// error that it gives ends the transaction.
template <class Change>
result<ended_logins> change_user(store::database& db, sale::user_id id, const audit_note& line,
                                 Change change) {
    const auto c = db.writer();
    store::transaction t(*c, store::access::write);
    bool found = false;
    const sale::user u = find_for_update(*c, id, found);
    if (!found) return errc::not_found;
    if (const result<void> changed = change(*c, u); !changed) return changed.error();
    auto ended = delete_logins(*c, id, nullptr);
    note_access_changed(*c);
    write_audit(*c, line);
    t.commit();
    return ended;
}

}  // namespace

result<ended_logins> account_book::disable(sale::user_id id, instant now, const audit_note& line) {
    return guarded("accounts.disable", [&] {
        return change_user(
            db_, id, line, [&](store::connection& c, const sale::user&) -> result<void> {
                c.run("UPDATE users SET disabled_ms = ? WHERE id = ? AND disabled_ms = 0", now, id);
                return {};
            });
    });
}

result<ended_logins> account_book::enable(sale::user_id id, instant /*now*/,
                                          const audit_note& line) {
    return guarded("accounts.enable", [&] {
        return change_user(db_, id, line,
                           [&](store::connection& c, const sale::user& u) -> result<void> {
                               if (u.forgotten_at != instant{}) return errc::conflict;
                               c.run("UPDATE users SET disabled_ms = 0 WHERE id = ?", id);
                               return {};
                           });
    });
}

result<ended_logins> account_book::forget(sale::user_id id, instant now, const audit_note& line) {
    return guarded("accounts.forget", [&] {
        return change_user(
            db_, id, line, [&](store::connection& c, const sale::user& u) -> result<void> {
                if (u.role != sale::role::buyer) return errc::conflict;
                const std::string phone = no_phone();
                c.run(
                    "UPDATE users SET phone = ?, nickname = 'forgotten', password_hash = '', "
                    "external_id = NULL, disabled_ms = ?, forgotten_ms = ? WHERE id = ?",
                    phone, now, now, id);
                c.run("DELETE FROM known_devices WHERE user_id = ?", id);
                c.run("DELETE FROM password_resets WHERE user_id = ?", id);
                return {};
            });
    });
}

result<void> account_book::keep_reset_code(const reset_code& r, const audit_note& line) {
    return guarded("accounts.keep_reset_code", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        c->run("DELETE FROM password_resets WHERE user_id = ?", r.user);
        c->run(
            "INSERT INTO password_resets (user_id, code_hash, expires_ms, tries) "
            "VALUES (?, ?, ?, ?)",
            r.user, r.code, r.until, reset_tries);
        write_audit(*c, line);
        t.commit();
        return {};
    });
}

// Counts the try before it looks at the code, in the same statement that checks that one is left.
result<ended_logins> account_book::reset_password(const code_use& u) {
    return guarded("accounts.reset_password", [&]() -> result<ended_logins> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (c->run("UPDATE password_resets SET tries = tries - 1 "
                   "WHERE user_id = ? AND tries > 0 AND expires_ms > ?",
                   u.user, u.now) == 0)
            return errc::not_found;
        const bool right = c->run("DELETE FROM password_resets WHERE user_id = ? AND code_hash = ?",
                                  u.user, u.code) > 0;
        if (!right) {
            t.commit();
            return errc::not_found;
        }
        c->run("UPDATE users SET password_hash = ? WHERE id = ?", u.hash, u.user);
        auto ended = delete_logins(*c, u.user, nullptr);
        t.commit();
        return ended;
    });
}

}  // namespace floodgate::ledger
