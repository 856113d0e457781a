#include "api/login_list_api.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t shown_max = 500;

boost::json::object to_json(const sale::login& l, const sale::token_hash& current) {
    boost::json::object out{{"id", guard::public_number(l.hash)},
                            {"expires_at", to_iso(l.expires_at)},
                            {"address", l.address},
                            {"current", l.hash == current}};
    out["created_at"] = to_ms(l.created_at) == 0
                            ? boost::json::value(nullptr)  // made by an older version
                            : boost::json::value(to_iso(l.created_at));
    return out;
}

}  // namespace

reply list_logins(services& with, const call& c) {
    const auto found = with.ledger.accounts().logins_of(c.user, c.now);
    if (!found) return failure_reply(found.error(), c.language);
    boost::json::array shown;
    for (const sale::login& l : *found)
        if (shown.size() < shown_max) shown.push_back(to_json(l, c.login));
    return json_reply(200, {{"logins", std::move(shown)}});
}

reply end_login(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const auto found = with.ledger.accounts().logins_of(c.user, c.now);
    if (!found) return failure_reply(found.error(), c.language);
    const auto which = std::ranges::find(
        *found, c.ids.at(0), [](const sale::login& l) { return guard::public_number(l.hash); });
    if (which == found->end()) return problem_reply(problem::not_found, c.language);
    if (const auto removed = with.ledger.users().remove_login(which->hash); !removed)
        return failure_reply(removed.error(), c.language);
    with.node.login_removed(which->hash);
    with.events.note(guard::security_event::logout, {c.user, c.client, c.path}, c.now);
    return {.status = 204};
}

reply end_other_logins(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const auto ended = with.ledger.accounts().end_logins(c.user, c.login);
    if (!ended) return failure_reply(ended.error(), c.language);
    for (const sale::token_hash& hash : *ended) with.node.login_removed(hash);
    return json_reply(200, {{"ended", ended->size()}});
}

}  // namespace floodgate::api
