// The second factors of users, and their recovery codes.

#pragma once

#include <span>
#include <string>

#include "base/result.hpp"
#include "ledger/audit_book.hpp"
#include "sale/user.hpp"

namespace floodgate::ledger {

struct second_factor {
    std::string secret;           // as it is; never shown after it was set up
    bool confirmed = false;       // the user has shown a code
    std::int64_t last_step = -1;  // of the last code that was accepted
};

class second_factor_book {
public:
    explicit second_factor_book(store::database& db) : db_(db) {}

    result<second_factor> find(sale::user_id user);  // not_found: none
    // Replaces one that is not confirmed yet. conflict: there is a confirmed one.
    result<void> begin(sale::user_id user, const std::string& secret, instant now);
    // The first code was right. conflict: it was confirmed by another call.
    struct confirmation {
        std::int64_t step = 0;
        std::span<const sale::token_hash> recovery_codes;
    };
    result<void> confirm(sale::user_id user, const confirmation& c, const audit_note& line);
    // Uses up the codes up to this step. False: they were used already.
    result<bool> use_step(sale::user_id user, std::int64_t step);
    // Uses up a recovery code. False: there is no such code.
    result<bool> use_recovery_code(sale::user_id user, const sale::token_hash& hash);
    result<void> remove(sale::user_id user, const audit_note& line);  // not_found

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
