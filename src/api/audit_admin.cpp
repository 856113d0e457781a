// Admins' handler for the audit.

#include <boost/json/parse.hpp>

#include <utility>

#include "api/admin_api.hpp"
#include "api/paging.hpp"

namespace floodgate::api {
namespace {

boost::json::object to_json(const ledger::audit_line& l) {
    boost::system::error_code broken;
    boost::json::value details = boost::json::parse(l.details, broken);
    if (broken) details = boost::json::string(l.details);  // not written by Floodgate
    return {{"id", l.id},
            {"at", to_iso(l.at)},
            {"who", l.who.value},
            {"address", l.address},
            {"action", l.action},
            {"subject", l.subject},
            {"details", std::move(details)}};
}

}  // namespace

reply list_audit(services& with, const call& c) {
    constexpr page_rule pages{"lines", "before", 500, 50};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            return with.ledger.audit().list(before, count);
        },
        [](const ledger::audit_line& l) { return to_json(l); },
        [](const ledger::audit_line& l) { return l.id; });
}

}  // namespace floodgate::api
