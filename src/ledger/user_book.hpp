// Users and their logins.

#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/result.hpp"
#include "sale/user.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

class user_book {
public:
    explicit user_book(store::database& db) : db_(db) {}

    result<sale::user_id> add(const sale::user& u);     // already_exists: the phone number
    result<sale::user> find(const std::string& phone);  // not_found
    result<sale::user> find(sale::user_id id);          // not_found
    result<bool> any_admin();
    result<void> set_password_hash(sale::user_id id, const std::string& hash);  // not_found

    result<void> add_login(const sale::login& l);
    // The same, and remembers the device that the log-in came from until `until`. A user has at
    // most devices_max devices; the one that would be forgotten first makes room.
    struct device_use {
        std::uint64_t device = 0;
        instant until;
    };
    result<void> add_login(const sale::login& l, const device_use& from);
    // Until when the device is known; the default instant if it is not known.
    result<instant> device_known_until(sale::user_id user, std::uint64_t device);
    static constexpr int devices_max = 32;

    result<void> remove_login(const sale::token_hash& hash);                    // absent is fine
    result<sale::login> find_login(const sale::token_hash& hash, instant now);  // not_found
    // Deletes the log-ins and known devices that expired before `now`; gives the number of log-ins.
    result<std::int64_t> prune_logins(instant now);
    // Visits every login that is valid at `now`, in no particular order; the guard loads them at
    // start. Fast: a million in about a second.
    result<void> for_each_login(instant now, const std::function<void(const sale::login&)>& visit);

    // For fixtures: many users, one login each, in one transaction. Ids are assigned by the caller.
    result<void> add_many(std::span<const sale::user> users, std::span<const sale::login> logins);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
