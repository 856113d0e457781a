#include "api/password_api.hpp"

#include <new>
#include <utility>

#include "api/account_json.hpp"
#include "api/failure.hpp"
#include "api/fnv.hpp"
#include "api/json_body.hpp"
#include "base/log.hpp"
#include "guard/addresses.hpp"

namespace floodgate::api {
namespace {

struct change {
    std::string old_password, new_password;
};

reply finish_change(services& with, const call& c, const sale::user& u, const change& wanted,
                    guard::login_limits::attempt& attempt) try {
    if (!with.passwords.verify(u.password_hash, wanted.old_password)) {
        attempt.failed();
        with.events.note(guard::security_event::login_failed, {u.id, c.client, c.path},
                         with.clock.now());
        return problem_reply(problem::wrong_credentials, c.language, {{"field", "old_password"}});
    }
    const auto ended =
        with.ledger.accounts().change_password({.user = u.id,
                                                .old_hash = u.password_hash,
                                                .hash = with.passwords.hash(wanted.new_password),
                                                .kept = c.login});
    if (!ended) return failure_reply(ended.error(), c.language);
    for (const sale::token_hash& hash : *ended) with.node.login_removed(hash);
    attempt.succeeded();
    log::info("api.password_changed", "user", u.id.value, "logins_ended", ended->size());
    return {.status = 204};
} catch (const std::bad_alloc&) {
    log::warning("api.hashing_failed", "reason", "out of memory");
    return failure_reply(make_error_code(errc::overloaded), c.language);
}

}  // namespace

first_answer begin_change_password(services& with, const call& c) {
    json_body body(c.body);
    change wanted;
    const text_rule secret{.min = 1, .max = sale::password_bytes_max, .secret = true};
    wanted.old_password = body.text("old_password", secret);
    wanted.new_password = body.text("new_password", secret);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    auto u = with.ledger.users().find(c.user);
    if (!u) return failure_reply(u.error(), c.language);
    if (const auto fault = guard::fault_in_password(wanted.new_password, u->phone))
        return refuse({"new_password", explain(*fault)}, c.language);
    if (wanted.new_password == wanted.old_password)
        return refuse({"new_password", "new_password must differ from the old one"}, c.language);
    if (u->phone.empty())
        return problem_reply(problem::conflict, c.language,
                             {{"detail", "this account has no password"}});

    // The device is a known one: it has a log-in.
    auto tried = with.login_limits.begin(
        {.account = fnv1a(u->phone), .address = guard::limiter_key(c.client), .known_device = true},
        c.now);
    if (!tried.may_try) {
        with.events.note_limited(tried.refused_by, {u->id, c.client, c.path}, c.now);
        return limited_reply(tried.wait, c.language);
    }
    return second_step{pool::password, [&with, c, user = std::move(*u), wanted = std::move(wanted),
                                        attempt = std::move(tried.may_try)] {
                           return finish_change(with, c, user, wanted, *attempt);
                       }};
}

}  // namespace floodgate::api
