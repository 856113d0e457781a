#include "ledger/user_book.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ledger/account_rows.hpp"
#include "ledger/guarded.hpp"
#include "store/sql/insert_rows.hpp"

namespace floodgate::ledger {
namespace {

constexpr store::insert_shape users_shape{
    "users (id, phone, nickname, password_hash, role, created_ms, must_change_password)", 7};
constexpr store::insert_shape logins_shape{
    "logins (token_hash, user_id, role, expires_ms, standing)", 5};

// Indexes into `all`, in the order of `key`. Rows that are inserted in the order of their key fill
// one page after another, which is several times faster than filling all pages at once.
template <class Row, class Key>
std::vector<const Row*> in_order(std::span<const Row> all, Key key) {
    std::vector<const Row*> sorted(all.size());
    std::transform(all.begin(), all.end(), sorted.begin(), [](const Row& r) { return &r; });
    std::ranges::sort(sorted, std::less<>{}, [&](const Row* r) { return std::invoke(key, *r); });
    return sorted;
}

template <class Row, class Key, class Bind>
void insert_sorted(store::connection& c, const store::insert_shape& shape, std::span<const Row> all,
                   Key key, Bind bind) {
    const std::vector<const Row*> sorted = in_order(all, key);
    store::insert_rows(c, shape, std::span<const Row* const>(sorted), bind, [](auto) {
        throw store::sql_error(store::sql_failure::constraint_unique, "a key is taken");
    });
}

void insert_login(store::connection& c, const sale::login& l) {
    c.run(
        "INSERT INTO logins (token_hash, user_id, role, expires_ms, created_ms, address, standing) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        l.hash, l.user, to_word(l.role), l.expires_at, l.created_at, l.address,
        to_word(l.standing));
}

void keep_device(store::connection& c, sale::user_id user, const user_book::device_use& use) {
    const auto device = static_cast<std::int64_t>(use.device);
    if (c.run("UPDATE known_devices SET until_ms = ? WHERE user_id = ? AND device = ?", use.until,
              user, device) > 0)
        return;
    std::string insert(c.speaks().insert_ignore);
    c.run(insert.append(" INTO known_devices (user_id, device, until_ms) VALUES (?, ?, ?)"), user,
          device, use.until);
}

// The newest have the latest `until`.
void forget_the_oldest_devices(store::connection& c, sale::user_id user) {
    instant newest_too_many;
    {
        auto rows = c.ask(
            "SELECT until_ms FROM known_devices WHERE user_id = ? "
            "ORDER BY until_ms DESC LIMIT 1 OFFSET ?",
            user, std::int64_t{user_book::devices_max});
        if (!rows.next()) return;
        rows.read(newest_too_many);
    }
    c.run("DELETE FROM known_devices WHERE user_id = ? AND until_ms <= ?", user, newest_too_many);
}

}  // namespace

result<sale::user_id> user_book::add(const sale::user& u) {
    return guarded("users.add", [&]() -> result<sale::user_id> {
        const auto c = db_.writer();
        c->run(
            "INSERT INTO users (phone, nickname, password_hash, role, created_ms, "
            "must_change_password) VALUES (?, ?, ?, ?, ?, ?)",
            u.phone, u.nickname, u.password_hash, to_word(u.role), u.created_at,
            std::int64_t{u.must_change_password});
        return sale::user_id{c->last_insert_id()};
    });
}

result<sale::user> user_book::find(const std::string& phone) {
    return guarded("users.find", [&]() -> result<sale::user> {
        return only_user(db_.reader()->ask(select_user("WHERE phone = ?"), phone));
    });
}

result<sale::user> user_book::find(sale::user_id id) {
    return guarded("users.find", [&]() -> result<sale::user> {
        return only_user(db_.reader()->ask(select_user("WHERE id = ?"), id));
    });
}

result<bool> user_book::any_admin() {
    return guarded("users.any_admin", [&]() -> result<bool> {
        const auto c = db_.reader();
        return c->ask("SELECT id FROM users WHERE role = ? LIMIT 1", to_word(sale::role::admin))
            .next();
    });
}

result<void> user_book::set_password_hash(sale::user_id id, const std::string& hash) {
    return guarded("users.set_password_hash", [&]() -> result<void> {
        if (db_.writer()->run("UPDATE users SET password_hash = ? WHERE id = ?", hash, id) == 0)
            return errc::not_found;
        return {};
    });
}

result<void> user_book::add_login(const sale::login& l) {
    return guarded("users.add_login", [&]() -> result<void> {
        const auto c = db_.writer();
        insert_login(*c, l);
        return {};
    });
}

result<void> user_book::add_login(const sale::login& l, const device_use& from) {
    return guarded("users.add_login", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        insert_login(*c, l);
        keep_device(*c, l.user, from);
        forget_the_oldest_devices(*c, l.user);
        t.commit();
        return {};
    });
}

result<instant> user_book::device_known_until(sale::user_id user, std::uint64_t device) {
    return guarded("users.device_known_until", [&]() -> result<instant> {
        const auto c = db_.reader();
        auto rows = c->ask("SELECT until_ms FROM known_devices WHERE user_id = ? AND device = ?",
                           user, static_cast<std::int64_t>(device));
        instant until{};
        if (rows.next()) rows.read(until);
        return until;
    });
}

result<void> user_book::remove_login(const sale::token_hash& hash) {
    return guarded("users.remove_login", [&]() -> result<void> {
        db_.writer()->run("DELETE FROM logins WHERE token_hash = ?", hash);
        return {};
    });
}

result<std::int64_t> user_book::prune_logins(instant now) {
    return guarded("users.prune_logins", [&]() -> result<std::int64_t> {
        const auto c = db_.writer();
        c->run("DELETE FROM known_devices WHERE until_ms <= ?", now);
        return c->run("DELETE FROM logins WHERE expires_ms <= ?", now);
    });
}

result<sale::login> user_book::find_login(const sale::token_hash& hash, instant now) {
    return guarded("users.find_login", [&]() -> result<sale::login> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT user_id, expires_ms, role, standing FROM logins "
            "WHERE token_hash = ? AND expires_ms > ?",
            hash, now);
        if (!rows.next()) return errc::not_found;
        sale::login l{.hash = hash};
        rows.read(l.user, l.expires_at);
        l.role = to_role(rows.asked().text(2));
        l.standing = to_standing(rows.asked().text(3));
        return l;
    });
}

result<void> user_book::for_each_login(instant now,
                                       const std::function<void(const sale::login&)>& visit) {
    return guarded_visit("users.for_each_login", [&]() -> result<void> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT token_hash, user_id, expires_ms, role, standing FROM logins "
            "WHERE expires_ms > ?",
            now);
        sale::login l;
        while (rows.next()) {
            rows.read(l.hash, l.user, l.expires_at);
            l.role = to_role(rows.asked().text(3));
            l.standing = to_standing(rows.asked().text(4));
            visit(l);
        }
        return {};
    });
}

result<void> user_book::add_many(std::span<const sale::user> users,
                                 std::span<const sale::login> logins) {
    return guarded("users.add_many", [&]() -> result<void> {
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        insert_sorted(*c, users_shape, users, &sale::user::id,
                      [](store::statement& s, int before, const sale::user* u) {
                          store::bind_after(s, before, u->id, u->phone, u->nickname,
                                            u->password_hash, to_word(u->role), u->created_at,
                                            std::int64_t{u->must_change_password});
                      });
        insert_sorted(*c, logins_shape, logins, &sale::login::hash,
                      [](store::statement& s, int before, const sale::login* l) {
                          store::bind_after(s, before, l->hash, l->user, to_word(l->role),
                                            l->expires_at, to_word(l->standing));
                      });
        t.commit();
        return {};
    });
}

}  // namespace floodgate::ledger
