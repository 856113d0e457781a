#include "shop/audit_trail.hpp"

#include <boost/json/serialize.hpp>

#include "base/log.hpp"

namespace floodgate::shop {

ledger::audit_line line_for(const signature& by, const act& done) {
    boost::json::object details{{"before", done.before}, {"after", done.after}};
    if (!done.why.empty()) details["why"] = done.why;
    return {.id = 0,
            .at = by.at,
            .who = by.who,
            .action = done.action,
            .subject = done.subject,
            .details = boost::json::serialize(details),
            .address = by.address};
}

void log_act(sale::user_id who, const std::string& action, const std::string& subject) {
    log::info("shop.acted", "who", who.value, "action", action, "subject", subject);
}

std::string subject_of(const char* kind, std::int64_t id) {
    return std::string(kind) + " " + std::to_string(id);
}

}  // namespace floodgate::shop
