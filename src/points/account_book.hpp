// The accounts in a database, in this process.
//
// Each call is one transaction: it changes the try, the balance and the log together, or nothing.
// Any thread, any number of processes over one database.

#pragma once

#include <functional>

#include "base/finding_list.hpp"
#include "points/accounts.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::points {

// An earn that was tried; or cancelled without a try, and then of user 0.
struct tried_earn {
    sale::order_no order;
    sale::user_id user;
    sale::points amount;
    try_state state{};
};

class account_book final : public accounts {
public:
    // Brings the tables up to date; see store/sql/migrations.hpp for what it throws. The database
    // may hold tables of other folders too.
    explicit account_book(store::database& db);

    result<try_outcome> try_spend(sale::order_no order, sale::user_id user, sale::points amount,
                                  instant now) override;
    result<try_outcome> try_earn(sale::order_no order, sale::user_id user, sale::points amount,
                                 instant now) override;
    result<void> confirm(sale::order_no order, kind which, instant now) override;
    result<void> cancel(sale::order_no order, kind which, instant now) override;
    result<void> give_back(const give_back_request& what, instant now) override;
    result<void> grant(const grant_request& what, instant now) override;
    result<std::optional<try_state>> state_of(sale::order_no order, kind which) override;
    result<balance> balance_of(sale::user_id user) override;
    result<std::vector<log_line>> history(sale::user_id user, std::int64_t before,
                                          std::size_t limit) override;
    result<std::vector<open_try>> open_tries(kind which, instant older_than,
                                             std::size_t max) override;

    // Reads everything and says what does not add up: balances and tries against the log.
    result<findings> check();
    // By order number, so that they can be compared with the orders.
    result<void> for_each_earn(const std::function<void(const tried_earn&)>& visit);

private:
    store::database& db_;
};

}  // namespace floodgate::points
