#include "api/password_api.hpp"

#include <new>
#include <utility>

#include "api/account_json.hpp"
#include "api/auth_api.hpp"
#include "api/failure.hpp"
#include "api/fnv.hpp"
#include "api/json_body.hpp"
#include "api/login_standing.hpp"
#include "base/log.hpp"
#include "guard/addresses.hpp"
#include "guard/reset_code.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t typed_phone_bytes_max = 40, typed_code_bytes_max = 20;

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
    renew_standing(with, c);
    attempt.succeeded();
    log::info("api.password_changed", "user", u.id.value, "logins_ended", ended->size());
    return {.status = 204};
} catch (const std::bad_alloc&) {
    log::warning("api.hashing_failed", "reason", "out of memory");
    return failure_reply(make_error_code(errc::overloaded), c.language);
}

struct code_and_password {
    std::string code, password;
};

reply finish_reset(services& with, const call& c, sale::user_id user, const code_and_password& sent,
                   guard::login_limits::attempt& attempt) try {
    const std::string code = guard::normalised_reset_code(sent.code);
    const auto ended = with.ledger.accounts().reset_password(
        {user, guard::hash_of(code), with.passwords.hash(sent.password), c.now});
    if (!ended && ended.error() != make_error_code(errc::not_found))
        return failure_reply(ended.error(), c.language);
    if (!ended) {
        attempt.failed();
        with.events.note(guard::security_event::login_failed, {user, c.client, c.path},
                         with.clock.now());
        return problem_reply(problem::wrong_credentials, c.language);
    }
    for (const sale::token_hash& hash : *ended) with.node.login_removed(hash);
    attempt.succeeded();
    log::info("api.password_reset", "user", user.value, "logins_ended", ended->size());
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

first_answer begin_reset_password(services& with, const call& c) {
    json_body body(c.body);
    const std::string phone =
        normalised_phone(body.text("phone", {.min = 1, .max = typed_phone_bytes_max}));
    code_and_password sent;
    sent.code = body.text("code", {.min = 1, .max = typed_code_bytes_max, .secret = true});
    sent.password =
        body.text("password", {.min = 1, .max = sale::password_bytes_max, .secret = true});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (const auto fault = guard::fault_in_password(sent.password, phone))
        return refuse({"password", explain(*fault)}, c.language);
    if (!c.client_is_trusted_proxy) {
        const auto wait = with.login_by_address.try_take(guard::limiter_key(c.client), c.now);
        if (wait != milliseconds(0)) {
            with.events.note_limited(guard::limit::login_by_address, {{}, c.client, c.path}, c.now);
            return limited_reply(wait, c.language);
        }
    }
    const auto u = with.ledger.users().find(phone);
    if (!u && u.error() != make_error_code(errc::not_found))
        return failure_reply(u.error(), c.language);
    auto tried = with.login_limits.begin(
        {.account = fnv1a(phone), .address = guard::limiter_key(c.client)}, c.now);
    if (!tried.may_try) {
        with.events.note_limited(tried.refused_by, {{}, c.client, c.path}, c.now);
        return limited_reply(tried.wait, c.language);
    }
    // For an unknown number the same work is done in vain: user 0 has no code.
    const sale::user_id user = u ? u->id : sale::user_id{};
    return second_step{pool::strangers, [&with, c, user, sent = std::move(sent),
                                         attempt = std::move(tried.may_try)] {
                           return finish_reset(with, c, user, sent, *attempt);
                       }};
}

}  // namespace floodgate::api
