#include "api/auth_api.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "api/failure.hpp"
#include "api/fnv.hpp"
#include "api/json_body.hpp"
#include "base/log.hpp"
#include "guard/account_rules.hpp"
#include "guard/addresses.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t typed_phone_bytes_max = 40;  // with its blanks and hyphens

struct credentials {
    std::string phone;
    std::string password;
    std::string nickname;
};

const char* to_text(sale::role r) { return r == sale::role::admin ? "admin" : "buyer"; }

boost::json::object to_json(const sale::user& u) {
    return {{"id", u.id.value},
            {"phone", u.phone},
            {"nickname", u.nickname},
            {"role", to_text(u.role)}};
}

const char* explain(guard::account_fault fault) {
    using enum guard::account_fault;
    switch (fault) {
    case phone_characters: return "phone must be digits, after an optional +";
    case phone_too_short: return "phone must have 5 digits or more";
    case phone_too_long: return "phone must have 20 digits or fewer";
    case password_too_short: return "password must have 8 bytes or more";
    case password_too_long: return "password must have 128 bytes or fewer";
    case nickname_empty: return "nickname must not be empty";
    case nickname_too_long: return "nickname must have 64 bytes or fewer";
    case nickname_not_utf8: return "nickname must be valid UTF-8";
    case nickname_control: return "nickname must not have hidden characters";
    case nickname_reserved: return "nickname must not be a name of the shop's staff";
    }
    return "not allowed";
}

std::optional<body_fault> read_phone_and_password(json_body& body, credentials& out) {
    out.phone = normalised_phone(body.text("phone", {.min = 1, .max = typed_phone_bytes_max}));
    // A password too short or too long for registering is only a wrong one for logging in.
    out.password = body.text("password", {.min = 1, .max = sale::password_bytes_max});
    if (auto fault = body.finish()) return fault;
    if (const auto fault = guard::fault_in_phone(out.phone)) {
        return body_fault{"phone", explain(*fault)};
    }
    return std::nullopt;
}

std::optional<body_fault> fault_in_account(const credentials& who) {
    if (const auto fault = guard::fault_in_password(who.password))
        return body_fault{"password", explain(*fault)};
    if (const auto fault = guard::fault_in_nickname(who.nickname))
        return body_fault{"nickname", explain(*fault)};
    return std::nullopt;
}

// Nothing: go ahead.
std::optional<reply> refusal_by_rate(services& with, const call& c, const std::string& phone) {
    milliseconds wait{};
    if (!c.client_is_trusted_proxy)
        wait = with.login_by_address.try_take(guard::limiter_key(c.client), c.now);
    if (wait == milliseconds(0)) wait = with.login_by_phone.try_take(fnv1a(phone), c.now);
    if (wait == milliseconds(0)) return std::nullopt;
    return problem_reply(problem::too_many_requests, c.language,
                         {{"retry_after_ms", std::int64_t{wait.count()}}});
}

// No password is hashed for a ledger that could not take the log-in, and the try does not count
// against the limits. Nothing: go ahead.
std::optional<reply> refusal_by_ledger(services& with, const call& c) {
    if (with.ledger_health.is_well(c.now)) return std::nullopt;
    return failure_reply(make_error_code(errc::store_unavailable), c.language);
}

reply ledger_failed(services& with, const call& c, const boost::system::error_code& why,
                    boost::json::object extra = {}) {
    with.ledger_health.note(why, c.now);
    return failure_reply(why, c.language, std::move(extra));
}

reply hashing_failed(const call& c) {
    log::warning("api.hashing_failed", "reason", "out of memory");
    return failure_reply(make_error_code(errc::overloaded), c.language);
}

// A fresh token for somebody who has proved who they are.
reply welcome(services& with, const call& c, const sale::user& u, int status) {
    const std::string token = guard::new_token();
    const sale::login login{.hash = guard::hash_of(token),
                            .user = u.id,
                            .role = u.role,
                            .expires_at = c.now + with.login_lifetime};
    if (const auto added = with.ledger.users().add_login(login); !added)
        return ledger_failed(with, c, added.error());
    with.sessions.add(login);
    with.node.login_made(login);
    reply r = json_reply(
        status, {{"token", token}, {"user", to_json(u)}, {"expires_at", to_iso(login.expires_at)}});
    r.headers = "Cache-Control: no-store\r\n";
    return r;
}

// The cost was raised since the hash was made. Should it fail, the next log-in tries again.
void renew_hash(services& with, const sale::user& u, const std::string& password) {
    if (!with.passwords.needs_rehash(u.password_hash)) return;
    const auto kept = with.ledger.users().set_password_hash(u.id, with.passwords.hash(password));
    if (!kept) log::warning("api.password_rehash_failed", "user", u.id.value);
}

bool is_mainland_mobile(std::string_view digits) {
    return digits.size() == 11 && digits.front() == '1';
}

}  // namespace

std::string normalised_phone(std::string_view text) {
    std::string phone(text);
    std::erase_if(phone, [](char c) { return c == ' ' || c == '-'; });
    const std::string_view all = phone;
    if (all.starts_with("+86") && is_mainland_mobile(all.substr(3))) return phone.substr(3);
    return phone;
}

reply register_user(services& with, const call& c) try {
    json_body body(c.body);
    credentials who;
    who.nickname = body.text("nickname", {.min = 1, .max = sale::nickname_bytes_max});
    if (const auto fault = read_phone_and_password(body, who)) return refuse(*fault, c.language);
    if (const auto fault = fault_in_account(who)) return refuse(*fault, c.language);
    if (auto refusal = refusal_by_ledger(with, c)) return *std::move(refusal);
    if (auto refusal = refusal_by_rate(with, c, who.phone)) return *std::move(refusal);

    sale::user u{.id = {},
                 .phone = who.phone,
                 .nickname = who.nickname,
                 .password_hash = with.passwords.hash(who.password),
                 .role = sale::role::buyer,
                 .created_at = c.now};
    const auto id = with.ledger.users().add(u);
    if (!id) return ledger_failed(with, c, id.error(), {{"field", "phone"}});
    u.id = *id;
    log::info("api.user_registered", "user", u.id.value);
    return welcome(with, c, u, 201);
} catch (const std::bad_alloc&) {
    return hashing_failed(c);
}

reply log_in(services& with, const call& c) try {
    json_body body(c.body);
    credentials who;
    if (const auto fault = read_phone_and_password(body, who)) return refuse(*fault, c.language);
    if (auto refusal = refusal_by_ledger(with, c)) return *std::move(refusal);
    if (auto refusal = refusal_by_rate(with, c, who.phone)) return *std::move(refusal);

    const auto u = with.ledger.users().find(who.phone);
    if (!u && u.error() != make_error_code(errc::not_found))
        return ledger_failed(with, c, u.error());
    const bool right = u ? with.passwords.verify(u->password_hash, who.password)
                         : with.passwords.spend(who.password);
    if (!right) return problem_reply(problem::wrong_credentials, c.language);
    renew_hash(with, *u, who.password);
    return welcome(with, c, *u, 200);
} catch (const std::bad_alloc&) {
    return hashing_failed(c);
}

reply log_out(services& with, const call& c) {
    const sale::token_hash hash = guard::hash_of(c.token);
    // The ledger first: were it the other way round, a restart could bring the login back.
    if (const auto removed = with.ledger.users().remove_login(hash); !removed)
        return failure_reply(removed.error(), c.language);
    with.sessions.remove(hash);
    with.node.login_removed(hash);
    return {.status = 204};
}

reply me(services& with, const call& c) {
    const auto u = with.ledger.users().find(c.user);
    if (!u) return failure_reply(u.error(), c.language);
    return json_reply(200, to_json(*u));
}

}  // namespace floodgate::api
