// What the admins' handlers share: finding a sale, letting a change take effect, the audit line.

#pragma once

#include <boost/json/object.hpp>

#include <string>

#include "api/services.hpp"

namespace floodgate::api {

struct act {
    std::string action;   // sale.published
    std::string subject;  // sale 7
    boost::json::object before;
    boost::json::object after;
};

// The act is done by now: should the audit book fail, that is logged as an error, and the act
// stands.
void audit(services& with, const call& c, const act& done);

result<sale::sale> find_sale(services& with, sale::sale_id id);  // not_found

// Shows buyers the catalogue as it is now, on every node. A failure is logged: buyers see the old
// pages, the gate has the new terms.
void show(services& with);

// What a draft becomes does not concern the gate. Anything else is warmed up with its new terms.
result<void> tell_gate(services& with, const sale::sale& s);
// The same with the terms that the ledger has by now, and their revision: another node may have
// changed them as well.
result<void> tell_gate_of_change(services& with, sale::sale_id id);

std::string subject_of(const char* kind, std::int64_t id);  // "sale 7"

// 201 with a Location header.
reply created(const std::string& path, const boost::json::object& body);

}  // namespace floodgate::api
