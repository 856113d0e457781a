// Who changed what, when: one line for every act of an admin.

#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/ids.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

struct audit_line {
    std::int64_t id = 0;
    instant at;
    sale::user_id who;
    std::string action;   // sale.published, stock.added ...
    std::string subject;  // sale 7, product 3 ...
    std::string details;  // what changed, as JSON; no secrets
};

class audit_book {
public:
    explicit audit_book(store::database& db) : db_(db) {}

    result<void> add(const audit_line& line);  // id is assigned
    // Newest first, only ids below `before` (0: from the newest), at most `limit`.
    result<std::vector<audit_line>> list(std::int64_t before, std::size_t limit);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
