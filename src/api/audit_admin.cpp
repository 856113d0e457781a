// Admins' handler for the audit.

#include <boost/json/parse.hpp>

#include <limits>
#include <utility>

#include "api/admin_api.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"

namespace floodgate::api {
namespace {

boost::json::object to_json(const ledger::audit_line& l) {
    boost::system::error_code broken;
    boost::json::value details = boost::json::parse(l.details, broken);
    if (broken) details = boost::json::string(l.details);  // not written by Floodgate
    return {{"id", l.id},         {"at", to_iso(l.at)},   {"who", l.who.value},
            {"name", l.name},     {"role", l.role},       {"address", l.address},
            {"action", l.action}, {"subject", l.subject}, {"details", std::move(details)}};
}

constexpr bounds ids{1, std::numeric_limits<std::int64_t>::max()};

// Empty: `refusal` says what is wrong with the query.
std::optional<ledger::audit_filter> read_filter(const call& c, reply& refusal) {
    ledger::audit_filter wanted;
    const auto who = query_number(c, "who", ids, 0);
    if (!who) {
        refusal = bad_query(c, "who", ids);
        return std::nullopt;
    }
    wanted.who = {*who};
    wanted.subject = query_value(c, "subject").value_or("");
    wanted.action = query_value(c, "action").value_or("");
    for (const auto& [name, moment] :
         {std::pair<const char*, instant*>{"from", &wanted.from}, {"to", &wanted.to}}) {
        const auto text = query_value(c, name);
        if (!text) continue;
        const auto time = parse_iso(*text);
        if (!time) {
            refusal =
                refuse({name, std::string(name) + " must be a time like 2026-11-11T12:00:00Z"},
                       c.language);
            return std::nullopt;
        }
        *moment = *time;
    }
    return wanted;
}

}  // namespace

reply list_audit(services& with, const call& c) {
    constexpr page_rule pages{"lines", "before", 500, 50};
    reply refusal;
    const auto wanted = read_filter(c, refusal);
    if (!wanted) return refusal;
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            return with.ledger.audit().list(*wanted, before, count);
        },
        [](const ledger::audit_line& l) { return to_json(l); },
        [](const ledger::audit_line& l) { return l.id; });
}

}  // namespace floodgate::api
