// Admins' handler for the audit book.

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include <limits>
#include <utility>

#include "api/admin_api.hpp"
#include "api/failure.hpp"
#include "api/query.hpp"

namespace floodgate::api {
namespace {

boost::json::object to_json(const ledger::audit_line& l) {
    boost::system::error_code broken;
    boost::json::value details = boost::json::parse(l.details, broken);
    if (broken) details = boost::json::string(l.details);  // a line of another origin
    return {{"id", l.id},         {"at", to_iso(l.at)},   {"who", l.who.value},
            {"action", l.action}, {"subject", l.subject}, {"details", std::move(details)}};
}

}  // namespace

reply list_audit(services& with, const call& c) {
    constexpr bounds limits{1, 500};
    constexpr bounds ids{1, std::numeric_limits<std::int64_t>::max()};
    const auto limit = query_number(c, "limit", limits, 50);
    if (!limit) return bad_query(c, "limit", limits);
    const auto before = query_number(c, "before", ids, 0);
    if (!before) return bad_query(c, "before", ids);

    const auto count = static_cast<std::size_t>(*limit);
    const auto lines = with.ledger.audit().list(*before, count + 1);
    if (!lines) return failure_reply(lines.error(), c.language);
    boost::json::array out;
    for (const ledger::audit_line& l : *lines)
        if (out.size() < count) out.push_back(to_json(l));
    boost::json::value next_before;
    if (lines->size() > count) next_before = out.back().at("id");
    return json_reply(200, {{"lines", std::move(out)}, {"next_before", next_before}});
}

}  // namespace floodgate::api
