// Who changed what, written to the audit book.

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
    sale::user_id who;  // 0: Floodgate itself
    instant at;
};

// The act is done by now and stands: an audit book that cannot be written is an error in the log.
void write_audit(ledger::audit_book& book, const signature& by, const act& done);

std::string subject_of(const char* kind, std::int64_t id);  // "sale 7"

}  // namespace floodgate::shop
