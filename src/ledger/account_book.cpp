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

}  // namespace floodgate::ledger
