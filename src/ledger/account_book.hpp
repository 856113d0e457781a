// What users and staff do to accounts after they were made: passwords and log-ins.
//
// The verbs that end log-ins give their hashes: the caller must tell every node (shop::node), for
// the nodes keep them in memory.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "sale/user.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

using ended_logins = std::vector<sale::token_hash>;

class account_book {
public:
    explicit account_book(store::database& db) : db_(db) {}

    // Replaces the password hash `old_hash` and ends the user's log-ins except `kept`. conflict:
    // the password is not that one any more; nothing was changed.
    struct new_password {
        sale::user_id user;
        std::string old_hash, hash;
        std::optional<sale::token_hash> kept{};
    };
    result<ended_logins> change_password(const new_password& p, const audit_note& line = {});

    // The user's log-ins that are valid at `now`, the newest first.
    result<std::vector<sale::login>> logins_of(sale::user_id user, instant now);
    result<ended_logins> end_logins(sale::user_id user, const sale::token_hash& kept);

    // The user with this external id, made if there is none. An existing one gets the nickname, if
    // it is not empty.
    struct external_user {
        std::string external_id, nickname;
    };
    result<sale::user> find_or_add(const external_user& who, instant now);

    result<sale::user> find_external(const std::string& external_id);  // not_found
    // Newest first, only ids below `before` (0: from the newest), at most `limit`.
    result<std::vector<sale::user>> list(std::int64_t before, std::size_t limit);

    // These end all log-ins of the user. not_found. Doing it again changes nothing.
    result<ended_logins> disable(sale::user_id id, instant now, const audit_note& line);
    // conflict: the user was forgotten.
    result<ended_logins> enable(sale::user_id id, instant now, const audit_note& line);
    // Removes the name, the phone number, the external id, the password and the known devices, and
    // disables the user. The orders stay. conflict: not a buyer.
    result<ended_logins> forget(sale::user_id id, instant now, const audit_note& line);

    // One code for a user at a time; it allows reset_tries tries.
    struct reset_code {
        sale::user_id user;
        sale::token_hash code{};
        instant until{};
    };
    result<void> keep_reset_code(const reset_code& c, const audit_note& line);
    // Sets the password and ends all log-ins, if the code is right; it is used up then. not_found:
    // it is wrong, used up or too old.
    struct code_use {
        sale::user_id user;
        sale::token_hash code{};
        std::string hash;  // of the new password
        instant now;
    };
    result<ended_logins> reset_password(const code_use& u);
    static constexpr int reset_tries = 5;

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
