#include "shop/audit_trail.hpp"

#include <boost/json/serialize.hpp>

#include "base/log.hpp"

namespace floodgate::shop {

void write_audit(ledger::audit_book& book, const signature& by, const act& done) {
    boost::json::object details{{"before", done.before}, {"after", done.after}};
    if (!done.why.empty()) details["why"] = done.why;
    const ledger::audit_line line{.id = 0,
                                  .at = by.at,
                                  .who = by.who,
                                  .action = done.action,
                                  .subject = done.subject,
                                  .details = boost::json::serialize(details)};
    log::info("shop.acted", "who", by.who.value, "action", done.action, "subject", done.subject);
    if (const auto added = book.add(line); !added) {
        log::error("shop.audit_failed", "who", by.who.value, "action", done.action, "subject",
                   done.subject, "reason", added.error().message());
    }
}

std::string subject_of(const char* kind, std::int64_t id) {
    return std::string(kind) + " " + std::to_string(id);
}

}  // namespace floodgate::shop
