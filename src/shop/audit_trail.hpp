// Makes the audit lines: who changed what. The verb of the ledger that makes the change also writes
// its line, in the same transaction. If the line cannot be written, the change is not made.

#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

#include "ledger/audit_book.hpp"

namespace floodgate::ledger {
class ledger;
}

namespace floodgate::shop {

// On whose behalf something is done.
struct actor {
    sale::user_id who{};             // 0: Floodgate itself
    std::string address{};           // the network the admin came from
    std::string why{};               // the reason, if Floodgate itself acts
    ledger::ledger* book = nullptr;  // write through this (fenced) ledger; null: the desk's own
};

struct act {
    std::string action;   // sale.published
    std::string subject;  // sale 7
    boost::json::object before{};
    boost::json::object after{};
    std::string why{};  // the reason, if Floodgate itself acts
};

struct signature {
    sale::user_id who;      // 0: Floodgate itself
    std::string address{};  // the network it came from; empty: Floodgate itself
    instant at{};
};

// The details have the fields that the act changed, before and after. A text of more than 500 bytes
// is given by its beginning, its length and its BLAKE2b-256, so that a line fits its column.
ledger::audit_line line_for(const signature& by, const act& done);
// To be called after the act was committed.
void log_act(sale::user_id who, const std::string& action, const std::string& subject);

std::string subject_of(const char* kind, std::int64_t id);  // "sale 7"

}  // namespace floodgate::shop
