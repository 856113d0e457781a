#include "ledger/staff_book.hpp"

#include "ledger/account_rows.hpp"
#include "ledger/guarded.hpp"

namespace floodgate::ledger {
namespace {

// Locks the admins, so that two of them cannot demote each other at the same time.
bool is_last_admin(store::connection& c, sale::user_id id) {
    std::string sql = "SELECT id FROM users WHERE role = ? AND disabled_ms = 0";
    auto rows = c.ask(sql.append(c.speaks().for_update), to_word(sale::role::admin));
    bool is_admin = false, has_others = false;
    while (rows.next()) {
        if (rows.get<std::int64_t>(0) == id.value) {
            is_admin = true;
        } else {
            has_others = true;
        }
    }
    return is_admin && !has_others;
}

bool exists(store::connection& c, sale::user_id id) {
    return c.ask("SELECT id FROM users WHERE id = ?", id).next();
}

bool has_confirmed_factor(store::connection& c, sale::user_id id) {
    return c.ask("SELECT user_id FROM second_factors WHERE user_id = ? AND confirmed = 1", id)
        .next();
}

}  // namespace

result<std::vector<staff_book::member>> staff_book::list() {
    return guarded("staff.list", [&]() -> result<std::vector<member>> {
        const auto c = db_.reader();
        std::vector<member> found;
        {
            auto rows = c->ask(select_user("WHERE role <> ? ORDER BY id LIMIT ?"),
                               to_word(sale::role::buyer), std::int64_t{list_max});
            while (rows.next()) found.push_back({read_user(rows)});
        }
        for (member& m : found) m.has_second_factor = has_confirmed_factor(*c, m.user.id);
        return found;
    });
}

result<staff_book::member> staff_book::find(sale::user_id id) {
    return guarded("staff.find", [&]() -> result<member> {
        const auto c = db_.reader();
        auto found = only_user(c->ask(select_user("WHERE id = ?"), id));
        if (!found) return found.error();
        if (!is_staff(found->role)) return errc::not_found;
        return member{*std::move(found), has_confirmed_factor(*c, id)};
    });
}

result<sale::user_id> staff_book::add(const sale::user& u,
                                      const audit_maker<sale::user_id>& signed_by) {
    return guarded("staff.add", [&]() -> result<sale::user_id> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        c->run(
            "INSERT INTO users (phone, nickname, password_hash, role, created_ms, "
            "must_change_password) VALUES (?, ?, ?, ?, ?, ?)",
            u.phone, u.nickname, u.password_hash, to_word(u.role), u.created_at,
            std::int64_t{u.must_change_password});
        const sale::user_id id{c->last_insert_id()};
        write_audit(*c, signed_by(id));
        t.commit();
        return id;
    });
}

result<ended_logins> staff_book::set_role(sale::user_id id, sale::role to, const audit_note& line) {
    return guarded("staff.set_role", [&]() -> result<ended_logins> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (!exists(*c, id)) return errc::not_found;
        if (to != sale::role::admin && is_last_admin(*c, id)) return errc::conflict;
        c->run("UPDATE users SET role = ? WHERE id = ?", to_word(to), id);
        auto ended = delete_logins(*c, id, nullptr);
        write_audit(*c, line);
        t.commit();
        return ended;
    });
}

result<ended_logins> staff_book::set_disabled(sale::user_id id, bool disabled,
                                              const audit_line& line) {
    return guarded("staff.set_disabled", [&]() -> result<ended_logins> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (!exists(*c, id)) return errc::not_found;
        if (disabled && is_last_admin(*c, id)) return errc::conflict;
        c->run("UPDATE users SET disabled_ms = ? WHERE id = ?", disabled ? to_ms(line.at) : 0, id);
        c->run("UPDATE access_revision SET revision = revision + 1 WHERE id = 1");
        ended_logins ended;
        if (disabled) ended = delete_logins(*c, id, nullptr);
        write_audit(*c, line);
        t.commit();
        return ended;
    });
}

result<ended_logins> staff_book::set_password(sale::user_id id, const new_password& p,
                                              const audit_note& line) {
    return guarded("staff.set_password", [&]() -> result<ended_logins> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        if (!exists(*c, id)) return errc::not_found;
        c->run("UPDATE users SET password_hash = ?, must_change_password = ? WHERE id = ?", p.hash,
               std::int64_t{p.must_change}, id);
        auto ended = delete_logins(*c, id, nullptr);
        write_audit(*c, line);
        t.commit();
        return ended;
    });
}

result<void> staff_book::set_standing(const sale::token_hash& login, sale::standing to) {
    return guarded("staff.set_standing", [&]() -> result<void> {
        db_.writer()->run("UPDATE logins SET standing = ? WHERE token_hash = ?", to_word(to),
                          login);
        return {};
    });
}

result<std::vector<staff_book::ended_login>> staff_book::ended_after(std::int64_t id,
                                                                     std::size_t limit) {
    return guarded("staff.ended_after", [&]() -> result<std::vector<ended_login>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT id, token_hash FROM ended_logins WHERE id > ? ORDER BY id LIMIT ?", id, limit);
        std::vector<ended_login> found;
        while (rows.next()) {
            ended_login& e = found.emplace_back();
            rows.read(e.id, e.hash);
        }
        return found;
    });
}

result<std::int64_t> staff_book::last_ended() {
    return guarded("staff.last_ended", [&]() -> result<std::int64_t> {
        const auto c = db_.reader();
        auto rows = c->ask("SELECT COALESCE(MAX(id), 0) FROM ended_logins");
        return rows.next() ? rows.get<std::int64_t>(0) : 0;
    });
}

result<std::int64_t> staff_book::forget_ended(instant before) {
    return guarded("staff.forget_ended", [&]() -> result<std::int64_t> {
        return db_.writer()->run("DELETE FROM ended_logins WHERE at_ms < ?", before);
    });
}

}  // namespace floodgate::ledger
