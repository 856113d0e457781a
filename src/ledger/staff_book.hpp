// What admins do to the accounts of staff.
//
// Each verb writes its audit line in the same transaction. The verbs that change what a person may
// do end their log-ins and give the hashes: the caller tells every node (shop::node). A server that
// shares the ledger with the process that did it reads them here within a second or two.

#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/account_book.hpp"

namespace floodgate::ledger {

class staff_book {
public:
    static constexpr std::size_t list_max = 1000;

    explicit staff_book(store::database& db) : db_(db) {}

    struct member {
        sale::user user;
        bool has_second_factor = false;
    };
    // Everybody who is not a buyer, by id; at most list_max.
    result<std::vector<member>> list();
    result<member> find(sale::user_id id);  // not_found: unknown, or a buyer

    // already_exists: the phone number
    result<sale::user_id> add(const sale::user& u, const audit_maker<sale::user_id>& signed_by);

    // not_found; conflict: the last active admin would be gone
    result<ended_logins> set_role(sale::user_id id, sale::role to, const audit_note& line);
    result<ended_logins> set_disabled(sale::user_id id, bool disabled, const audit_line& line);
    struct new_password {
        std::string hash;
        bool must_change = true;
    };
    result<ended_logins> set_password(sale::user_id id, const new_password& p,
                                      const audit_note& line);

    // The standing of one log-in, once what was missing is done.
    result<void> set_standing(const sale::token_hash& login, sale::standing to);

    // Log-ins that were ended after the one with this id, the oldest first, at most `limit`.
    struct ended_login {
        std::int64_t id = 0;
        sale::token_hash hash{};
    };
    result<std::vector<ended_login>> ended_after(std::int64_t id, std::size_t limit);
    result<std::int64_t> last_ended();
    result<std::int64_t> forget_ended(instant before);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
