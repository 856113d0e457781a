#include "api/account_admin.hpp"

#include "api/account_json.hpp"
#include "api/admin_desk.hpp"
#include "api/json_body.hpp"
#include "api/paging.hpp"
#include "api/permissions.hpp"
#include "base/log.hpp"
#include "guard/reset_code.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t reason_bytes_max = 200;
constexpr milliseconds code_lifetime{std::chrono::minutes(15)};

boost::json::value moment(instant t) {
    if (to_ms(t) == 0) return nullptr;
    return boost::json::string(to_iso(t));
}

boost::json::object shown(const sale::user& u) {
    boost::json::object out = to_json(u);
    out["created_at"] = to_iso(u.created_at);
    out["disabled_at"] = moment(u.disabled_at);
    out["forgotten_at"] = moment(u.forgotten_at);
    return out;
}

reply one_or_none(const call& c, const result<sale::user>& found) {
    boost::json::array users;
    if (found)
        users.push_back(shown(*found));
    else if (found.error() != make_error_code(errc::not_found))
        return failure_reply(found.error(), c.language);
    return json_reply(200, {{"users", std::move(users)}, {"next_before", nullptr}});
}

reply not_now(const call& c, const char* why) {
    return problem_reply(problem::conflict, c.language, {{"detail", why}});
}

using verb_of_book = result<ledger::ended_logins> (ledger::account_book::*)(
    sale::user_id, instant, const ledger::audit_note&);

struct change {
    const char* action;
    verb_of_book apply;
    const char* conflict;  // what the ledger's refusal means
};

// Reads the reason, changes the user, ends their log-ins on every node.
reply change_user(services& with, const call& c, const change& what) {
    json_body body(c.body);
    const std::string reason = body.text("reason", {.min = 1, .max = reason_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    const sale::user_id id{c.ids.at(0)};
    const auto line = line_for(c, {.action = what.action,
                                   .subject = subject_of("user", id.value),
                                   .after = {{"reason", reason}}});
    const auto ended = (with.ledger.accounts().*what.apply)(id, c.now, line);
    if (!ended && ended.error() == make_error_code(errc::conflict))
        return not_now(c, what.conflict);
    if (!ended) return failure_reply(ended.error(), c.language);
    // The list of disabled users first: it also holds for log-ins that are made at this moment.
    if (const auto read = with.access.reload(); !read)
        log::warning("api.access_not_reloaded", "reason", read.error().message());
    with.node.access_changed();
    for (const sale::token_hash& hash : *ended) with.node.login_removed(hash);
    shop::log_act(c.user, what.action, subject_of("user", id.value));
    return get_user(with, c);
}

}  // namespace

reply list_users(services& with, const call& c) {
    const auto phone = query_value(c, "phone");
    const auto external_id = query_value(c, "external_id");
    if (phone) return one_or_none(c, with.ledger.users().find(*phone));
    if (external_id) return one_or_none(c, with.ledger.accounts().find_external(*external_id));
    constexpr page_rule pages{"users", "before", 500, 50};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            return with.ledger.accounts().list(before, count);
        },
        [](const sale::user& u) { return shown(u); },
        [](const sale::user& u) { return u.id.value; });
}

reply get_user(services& with, const call& c) {
    const auto found = with.ledger.users().find(sale::user_id{c.ids.at(0)});
    if (!found) return failure_reply(found.error(), c.language);
    return json_reply(200, shown(*found));
}

reply disable_user(services& with, const call& c) {
    if (c.ids.at(0) == c.user.value) return not_now(c, "you cannot disable yourself");
    return change_user(with, c, {"user.disabled", &ledger::account_book::disable, ""});
}

reply enable_user(services& with, const call& c) {
    return change_user(with, c,
                       {"user.enabled", &ledger::account_book::enable,
                        "the personal data of this user was removed"});
}

reply forget_user(services& with, const call& c) {
    return change_user(with, c,
                       {"user.forgotten", &ledger::account_book::forget,
                        "only buyers can be forgotten: take the role away first"});
}

reply make_reset_code(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const auto user = with.ledger.users().find(sale::user_id{c.ids.at(0)});
    if (!user) return failure_reply(user.error(), c.language);
    if (user->role != sale::role::buyer && !may(c.role, access::manage))
        return problem_reply(problem::forbidden, c.language);
    if (user->phone.empty()) return not_now(c, "this account has no password");
    const std::string code = guard::new_reset_code();
    const instant until = c.now + code_lifetime;
    const auto line = line_for(
        c, {.action = "user.reset_code_made", .subject = subject_of("user", user->id.value)});
    const auto kept =
        with.ledger.accounts().keep_reset_code({user->id, guard::hash_of(code), until}, line);
    if (!kept) return failure_reply(kept.error(), c.language);
    shop::log_act(c.user, "user.reset_code_made", subject_of("user", user->id.value));
    reply r = json_reply(201, {{"code", code}, {"expires_at", to_iso(until)}});
    r.headers = "Cache-Control: no-store\r\n";
    return r;
}

}  // namespace floodgate::api
