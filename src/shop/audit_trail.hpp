// Who changed what, in the words of the audit book. The line is written by the ledger's verb that
// makes the change, in the same transaction: an act without a line is not done.

#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

#include "ledger/audit_book.hpp"

namespace floodgate::shop {

struct act {
    std::string action;   // sale.published
    std::string subject;  // sale 7
    boost::json::object before{};
    boost::json::object after{};
    std::string why{};  // what made Floodgate itself act
};

struct signature {
    sale::user_id who;      // 0: Floodgate itself
    std::string address{};  // the network it came from; empty: from inside
    instant at{};
};

ledger::audit_line line_for(const signature& by, const act& done);
// Once the act stands.
void log_act(sale::user_id who, const std::string& action, const std::string& subject);

std::string subject_of(const char* kind, std::int64_t id);  // "sale 7"

}  // namespace floodgate::shop
