#include "ledger/account_rows.hpp"

#include "base/clock.hpp"
#include "base/random_id.hpp"

namespace floodgate::ledger {
namespace {

constexpr char phone_is_absent = '~';
constexpr std::size_t random_bytes = 9;  // '~' and 18 digits fit into users.phone

}  // namespace

// A word that this program does not know gives no rights.
sale::role to_role(std::string_view word) {
    return sale::role_of(word).value_or(sale::role::buyer);
}

// A newer program's standing: the user must log in again to get out of it.
sale::standing to_standing(std::string_view word) {
    return sale::standing_of(word).value_or(sale::standing::must_change_password);
}

std::string select_user(std::string_view rest) {
    std::string sql =
        "SELECT id, phone, nickname, password_hash, created_ms, COALESCE(external_id, ''), "
        "disabled_ms, forgotten_ms, must_change_password, role FROM users ";
    return sql.append(rest);
}

sale::user read_user(store::row_cursor& rows) {
    sale::user u;
    std::string role;
    std::int64_t must_change = 0;
    rows.read(u.id, u.phone, u.nickname, u.password_hash, u.created_at, u.external_id,
              u.disabled_at, u.forgotten_at, must_change, role);
    u.must_change_password = must_change != 0;
    u.role = to_role(role);
    if (u.phone.starts_with(phone_is_absent)) u.phone.clear();
    return u;
}

result<sale::user> only_user(store::row_cursor&& rows) {
    if (!rows.next()) return errc::not_found;
    return read_user(rows);
}

std::string no_phone() { return phone_is_absent + random_id(random_bytes); }

std::vector<sale::token_hash> delete_logins(store::connection& c, sale::user_id user,
                                            const sale::token_hash* kept) {
    std::vector<sale::token_hash> found;
    std::string sql = "SELECT token_hash FROM logins WHERE user_id = ?";
    {
        auto rows = c.ask(sql.append(c.speaks().for_update), user);
        while (rows.next()) {
            const auto hash = rows.get<sale::token_hash>(0);
            if (!kept || hash != *kept) found.push_back(hash);
        }
    }
    for (const sale::token_hash& hash : found) {
        c.run("DELETE FROM logins WHERE token_hash = ?", hash);
        c.run("INSERT INTO ended_logins (token_hash, at_ms) VALUES (?, ?)", hash,
              wall_clock().now());
    }
    return found;
}

}  // namespace floodgate::ledger
