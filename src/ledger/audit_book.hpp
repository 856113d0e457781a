// The audit: one line for every act of an admin, saying who changed what and when.
//
// The verbs that admins use in the other books take such a line, or make it from the result of the
// act, and write it in the act's own transaction. So the act and its line are both written, or
// neither is. Soon afterwards the line is sealed into a chain of hashes: audit_chain.hpp.

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
    std::string address{};  // the network it came from; empty: Floodgate itself, or an old line
    // What the person was and was called at that time. Writing looks them up.
    std::string role{}, name{};
};

// The default: every line.
struct audit_filter {
    sale::user_id who{};
    std::string subject{}, action{};
    instant from{milliseconds(0)}, to{milliseconds(INT64_MAX)};  // `to` is not included
};

// The line of an act, if all of it is known beforehand. Empty: the act needs no line.
using audit_note = std::optional<audit_line>;
// Makes the line from the result of the act. May be called more than once for one act, and must not
// call the ledger.
template <class Given>
using audit_maker = std::function<audit_line(const Given&)>;

// Writes the line inside the caller's transaction and gives its id; 0: there was none to write.
std::int64_t write_audit(store::connection& c, const audit_note& line);

class audit_book {
public:
    explicit audit_book(store::database& db) : db_(db) {}

    // For an act that changes nothing else in the ledger. The id is assigned.
    result<void> add(const audit_line& line);
    // Newest first, only ids below `before` (0: from the newest), at most `limit`.
    result<std::vector<audit_line>> list(const audit_filter& wanted, std::int64_t before,
                                         std::size_t limit);
    result<std::vector<audit_line>> list(std::int64_t before, std::size_t limit) {
        return list({}, before, limit);
    }

    // Appends up to `lines_max` lines to the chain, in the order of their ids, and gives their
    // number. Several nodes may call it at once.
    result<std::size_t> seal(std::size_t lines_max);
    struct chain_end {
        std::int64_t place = 0;  // 0: nothing is sealed yet
        std::string hash{};
    };
    result<chain_end> end_of_chain();

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
