// Users and log-ins as rows: what user_book and account_book share.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sale/user.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

sale::role to_role(std::string_view word);  // an unknown word is a buyer's
sale::standing to_standing(std::string_view word);

// The columns that read_user() needs, and this end of the query.
std::string select_user(std::string_view rest);
sale::user read_user(store::row_cursor& rows);
result<sale::user> only_user(store::row_cursor&& rows);  // not_found

// For users.phone of a user who has no phone number. read_user() gives an empty text for it.
std::string no_phone();

// Deletes the user's log-ins except `kept`, within the caller's transaction, and gives their
// hashes. Servers that other processes share the ledger with find them in ended_logins.
std::vector<sale::token_hash> delete_logins(store::connection& c, sale::user_id user,
                                            const sale::token_hash* kept);

}  // namespace floodgate::ledger
