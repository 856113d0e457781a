// Who changed what, when: one line for every act of an admin.
//
// The verbs of the other books that admins use take the line, or make it from what the act gives,
// and write it in the act's own transaction: both stand, or neither does.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "sale/ids.hpp"

namespace floodgate::store {
class connection;
class database;
}  // namespace floodgate::store

namespace floodgate::ledger {

struct audit_line {
    std::int64_t id = 0;
    instant at;
    sale::user_id who;
    std::string action;     // sale.published, stock.added ...
    std::string subject;    // sale 7, product 3 ...
    std::string details;    // what changed, as JSON; no secrets
    std::string address{};  // the network it came from; empty: Floodgate itself, or from before
};

// The line for an act that knows all of it beforehand; none: nobody signs.
using audit_note = std::optional<audit_line>;
// The same for an act whose line depends on what it gives. May be called more than once for one
// act, and must not call the ledger.
template <class Given>
using audit_maker = std::function<audit_line(const Given&)>;

// Inside a transaction that the caller holds. The line's id; 0: there is none to write.
std::int64_t write_audit(store::connection& c, const audit_note& line);

class audit_book {
public:
    explicit audit_book(store::database& db) : db_(db) {}

    // For an act that changes nothing else in the book. The id is assigned.
    result<void> add(const audit_line& line);
    // Newest first, only ids below `before` (0: from the newest), at most `limit`.
    result<std::vector<audit_line>> list(std::int64_t before, std::size_t limit);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
