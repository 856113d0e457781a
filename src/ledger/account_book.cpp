#include "ledger/account_book.hpp"

#include "ledger/account_rows.hpp"
#include "ledger/guarded.hpp"

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

std::optional<sale::user> find_external(store::connection& c, const std::string& external_id) {
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
        auto found = find_external(*db_.reader(), who.external_id);
        if (found && (who.nickname.empty() || found->nickname == who.nickname ||
                      found->forgotten_at != instant{}))
            return *found;
        const auto c = db_.writer();
        if (!found)
            add_external(*c, who, now);
        else
            c->run("UPDATE users SET nickname = ? WHERE id = ?", who.nickname, found->id);
        found = find_external(*c, who.external_id);
        if (!found) return errc::store_unavailable;
        return *found;
    });
}

}  // namespace floodgate::ledger
