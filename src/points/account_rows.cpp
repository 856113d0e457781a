#include "points/account_rows.hpp"

#include <fmt/format.h>

namespace floodgate::points {
namespace {

using store::sql_error;
using store::sql_failure;

[[noreturn]] void changed_meanwhile(const std::string& what) {
    throw sql_error(sql_failure::conflict, what);
}

// For a row that was looked for and not found.
template <class... Values>
void insert(store::connection& c, std::string_view sql, const Values&... values) {
    try {
        c.run(sql, values...);
    } catch (const sql_error& e) {
        if (e.kind() == sql_failure::constraint_unique) changed_meanwhile(e.what());
        throw;
    }
}

void write_balance(store::connection& c, const account_row& account, const balance& now_has) {
    const auto& [available, reserved, pending] = now_has;
    if (account.log_lines == 0) {
        insert(c,
               "INSERT INTO points_accounts (user_id, available, reserved, pending, log_lines) "
               "VALUES (?, ?, ?, ?, 1)",
               account.user, available, reserved, pending);
    } else if (c.run("UPDATE points_accounts SET available = ?, reserved = ?, pending = ?, "
                     "log_lines = log_lines + 1 WHERE user_id = ? AND log_lines = ?",
                     available, reserved, pending, account.user, account.log_lines) != 1) {
        changed_meanwhile("an account has changed since it was read");
    }
}

std::optional<try_row> read_try(store::connection& c, const try_key& key, std::string_view lock) {
    std::string sql =
        "SELECT user_id, points, given_back, state FROM points_tries WHERE order_no = ? AND "
        "kind = ?";
    auto rows = c.ask(sql.append(lock), key.order, to_text(key.kind));
    if (!rows.next()) return std::nullopt;
    try_row row;
    std::string state;
    rows.read(row.user, row.amount, row.given_back, state);
    row.state = parse_state(state);
    return row;
}

}  // namespace

try_state parse_state(const std::string& word) {
    for (const auto s : {try_state::open, try_state::confirmed, try_state::cancelled})
        if (word == to_text(s)) return s;
    throw sql_error(sql_failure::corrupt, fmt::format("a try has the state {}", word));
}

std::optional<try_row> find_try(store::connection& c, const try_key& key) {
    return read_try(c, key, {});
}
std::optional<try_row> take_try(store::connection& c, const try_key& key) {
    return read_try(c, key, c.speaks().for_update);
}

void add_try(store::connection& c, const try_key& key, const try_row& row, instant now) {
    insert(c,
           "INSERT INTO points_tries (order_no, kind, user_id, points, given_back, state, "
           "tried_ms, settled_ms) VALUES (?, ?, ?, ?, 0, ?, ?, ?)",
           key.order, to_text(key.kind), row.user, row.amount, to_text(row.state), now,
           row.state == try_state::open ? instant{} : now);
}

void settle_try(store::connection& c, const try_key& key, try_state to, instant now) {
    if (c.run("UPDATE points_tries SET state = ?, settled_ms = ? WHERE order_no = ? AND kind = ? "
              "AND state = 'open'",
              to_text(to), now, key.order, to_text(key.kind)) != 1)
        changed_meanwhile("a try was settled by somebody else");
}

void add_given_back(store::connection& c, const try_key& key, sale::points amount) {
    if (c.run("UPDATE points_tries SET given_back = given_back + ? WHERE order_no = ? AND kind = ? "
              "AND given_back + ? <= points",
              amount, key.order, to_text(key.kind), amount) != 1)
        changed_meanwhile("points were given back by somebody else");
}

account_row take_account(store::connection& c, sale::user_id user) {
    std::string sql =
        "SELECT available, reserved, pending, log_lines FROM points_accounts WHERE user_id = ?";
    auto rows = c.ask(sql.append(c.speaks().for_update), user);
    account_row row{.user = user};
    if (rows.next()) rows.read(row.has.available, row.has.reserved, row.has.pending, row.log_lines);
    return row;
}

void write_change(store::connection& c, const account_row& account, const account_change& change,
                  instant now) {
    const balance& had = account.has;
    const balance has = after(had, change.what, change.amount);
    write_balance(c, account, has);
    insert(c,
           "INSERT INTO points_log (user_id, line, event, order_no, request, available_before, "
           "reserved_before, pending_before, available_after, reserved_after, pending_after, "
           "reason, by_user, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
           account.user, account.log_lines + 1, to_text(change.what), change.order, change.request,
           had.available, had.reserved, had.pending, has.available, has.reserved, has.pending,
           change.reason, change.by, now);
}

std::optional<used_request> find_request(store::connection& c, sale::order_no order,
                                         const std::string& request) {
    auto rows = c.ask(
        "SELECT user_id, available_after - available_before FROM points_log WHERE order_no = ? "
        "AND request = ?",
        order, request);
    if (!rows.next()) return std::nullopt;
    used_request used;
    rows.read(used.user, used.amount);
    return used;
}

}  // namespace floodgate::points
