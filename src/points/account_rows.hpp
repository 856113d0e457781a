// The rows behind the account book. All of these run inside the caller's transaction.
//
// Locks are taken in one order: the try, then the account. A row that another transaction has
// inserted or changed since it was read ends in sql_failure::conflict, so that the whole act is run
// again and finds it.

#pragma once

#include <optional>
#include <string>

#include "points/accounts.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::points {

struct try_key {
    sale::order_no order;
    points::kind kind{};
};

struct try_row {
    sale::user_id user;  // 0: cancelled before anything was tried
    sale::points amount, given_back;
    try_state state{};
};

// Throws sql_error (corrupt) for a word that is no state.
try_state parse_state(const std::string& word);

std::optional<try_row> find_try(store::connection& c, const try_key& key);
// The same, and keeps other writers from the row.
std::optional<try_row> take_try(store::connection& c, const try_key& key);
void add_try(store::connection& c, const try_key& key, const try_row& row, instant now);
// From open.
void settle_try(store::connection& c, const try_key& key, try_state to, instant now);
void add_given_back(store::connection& c, const try_key& key, sale::points amount);

struct account_row {
    sale::user_id user;
    balance has;
    std::int64_t log_lines = 0;  // 0: there is no account yet
};

// Keeps other writers from the row, if there is one.
account_row take_account(store::connection& c, sale::user_id user);

struct account_change {
    event what{};
    sale::points amount;
    sale::order_no order{};
    std::optional<std::string> request{};
    std::string reason{};
    sale::user_id by{};
};
// Changes the balance and writes the line of the log.
void write_change(store::connection& c, const account_row& account, const account_change& change,
                  instant now);

// The give-back or, with order 0, the grant that has used this key.
struct used_request {
    sale::user_id user;
    sale::points amount;
};
std::optional<used_request> find_request(store::connection& c, sale::order_no order,
                                         const std::string& request);

}  // namespace floodgate::points
