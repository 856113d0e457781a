#include "api/auth_api.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "api/account_json.hpp"
#include "api/failure.hpp"
#include "api/fnv.hpp"
#include "api/json_body.hpp"
#include "api/login_standing.hpp"
#include "base/log.hpp"
#include "guard/account_rules.hpp"
#include "guard/addresses.hpp"
#include "guard/tokens.hpp"
#include "guard/totp.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t typed_phone_bytes_max = 40;  // with its blanks and hyphens
constexpr auto device_known_for = std::chrono::hours(24 * 30);
constexpr auto device_renewed_after = std::chrono::hours(24);

struct credentials {
    std::string phone;
    std::string password;
    std::string nickname;
    std::optional<std::string> code{};  // of the second factor
};

std::optional<body_fault> read_phone_and_password(json_body& body, credentials& out) {
    out.phone = normalised_phone(body.text("phone", {.min = 1, .max = typed_phone_bytes_max}));
    // A password too short or too long for registering is only a wrong one for logging in.
    out.password =
        body.text("password", {.min = 1, .max = sale::password_bytes_max, .secret = true});
    if (auto fault = body.finish()) return fault;
    if (const auto fault = guard::fault_in_phone(out.phone)) {
        return body_fault{"phone", explain(*fault)};
    }
    return std::nullopt;
}

std::optional<body_fault> fault_in_account(const credentials& who) {
    if (const auto fault = guard::fault_in_password(who.password, who.phone))
        return body_fault{"password", explain(*fault)};
    if (const auto fault = guard::fault_in_nickname(who.nickname))
        return body_fault{"nickname", explain(*fault)};
    return std::nullopt;
}

guard::security_events::origin origin_of(const call& c, sale::user_id user = {}) {
    return {user, c.client, c.path};
}

reply too_many(services& with, const call& c, guard::limit which, milliseconds wait) {
    with.events.note_limited(which, origin_of(c), c.now);
    return limited_reply(wait, c.language);
}

// Empty: not refused.
std::optional<reply> refusal_by_address(services& with, const call& c, guard::limit which) {
    if (c.client_is_trusted_proxy) return std::nullopt;
    guard::rate_limiter& limiter = which == guard::limit::register_by_address
                                       ? with.register_by_address
                                       : with.login_by_address;
    const milliseconds wait = limiter.try_take(guard::limiter_key(c.client), c.now);
    if (wait == milliseconds(0)) return std::nullopt;
    return too_many(with, c, which, wait);
}

// While the ledger could not take the log-in, no password is hashed, and the try does not count
// against the limits. Empty: not refused.
std::optional<reply> refusal_by_ledger(services& with, const call& c) {
    if (with.ledger_health.is_well(c.now)) return std::nullopt;
    return failure_reply(make_error_code(errc::store_unavailable), c.language);
}

reply ledger_failed(services& with, const call& c, const boost::system::error_code& why,
                    boost::json::object extra = {}) {
    with.ledger_health.note(why, c.now);
    return failure_reply(why, c.language, std::move(extra));
}

reply switched_off(const call& c) { return problem_reply(problem::switched_off, c.language); }

reply hashing_failed(const call& c) {
    log::warning("api.hashing_failed", "reason", "out of memory");
    return failure_reply(make_error_code(errc::overloaded), c.language);
}

// An account at an address, and until when it is known: see guard/login_limits.hpp.
struct device {
    std::uint64_t number = 0;
    instant known_until{};
};

std::uint64_t device_number(const call& c, sale::user_id user) {
    return guard::device_of(static_cast<std::uint64_t>(user.value), guard::limiter_key(c.client));
}

// A log-in from a device that stays known for long writes only the log-in to the ledger.
result<void> keep_login(services& with, const call& c, const sale::login& l, const device& from) {
    const instant until = c.now + device_known_for;
    if (from.known_until > until - device_renewed_after) return with.ledger.users().add_login(l);
    return with.ledger.users().add_login(l, {from.number, until});
}

// Makes a new token for a user who has proved who they are.
reply welcome(services& with, const call& c, const sale::user& u, const device& from, int status) {
    const auto standing = standing_for(with, u);
    if (!standing) return ledger_failed(with, c, standing.error());
    const std::string token = guard::new_token();
    const sale::login login{.hash = guard::hash_of(token),
                            .user = u.id,
                            .role = u.role,
                            .expires_at = c.now + with.login_lifetime,
                            .created_at = c.now,
                            .address = guard::prefix_text(c.client),
                            .standing = *standing};
    if (const auto added = keep_login(with, c, login, from); !added)
        return ledger_failed(with, c, added.error());
    with.node.login_made(login);
    reply r = json_reply(
        status, {{"token", token}, {"user", to_json(u)}, {"expires_at", to_iso(login.expires_at)}});
    r.headers = "Cache-Control: no-store\r\n";
    return r;
}

// Called when the cost was changed since the hash was made. If it fails, the next log-in tries
// again.
void renew_hash(services& with, const sale::user& u, const std::string& password) {
    if (!with.passwords.needs_rehash(u.password_hash)) return;
    const auto kept = with.ledger.users().set_password_hash(u.id, with.passwords.hash(password));
    if (!kept) log::warning("api.password_rehash_failed", "user", u.id.value);
}

reply phone_is_taken(services& with, const call& c, const boost::system::error_code& why) {
    return ledger_failed(with, c, why, {{"field", "phone"}});
}

reply finish_register(services& with, const call& c, const credentials& who) try {
    sale::user u{.id = {},
                 .phone = who.phone,
                 .nickname = who.nickname,
                 .password_hash = with.passwords.hash(who.password),
                 .role = sale::role::buyer,
                 .created_at = c.now};
    const auto id = with.ledger.users().add(u);
    if (!id) return phone_is_taken(with, c, id.error());
    u.id = *id;
    with.events.note(guard::security_event::registered, origin_of(c, u.id), with.clock.now());
    return welcome(with, c, u, {device_number(c, u.id)}, 201);
} catch (const std::bad_alloc&) {
    return hashing_failed(c);
}

// What the ledger knows about the user who wants to log in.
struct known_account {
    std::optional<sale::user> user;
    device from;
};

// Looks the device up even for an unknown phone number, so that this takes as long.
result<known_account> look_up(services& with, const call& c, const std::string& phone) {
    known_account out;
    auto found = with.ledger.users().find(phone);
    if (!found && found.error() != make_error_code(errc::not_found)) return found.error();
    if (found) out.user = std::move(*found);
    const sale::user_id id = out.user ? out.user->id : sale::user_id{};
    out.from.number = device_number(c, id);
    const auto until = with.ledger.users().device_known_until(id, out.from.number);
    if (!until) return until.error();
    out.from.known_until = *until;
    return out;
}

reply log_in_failed(services& with, const call& c, const known_account& who,
                    guard::login_limits::attempt& attempt, reply answer) {
    const sale::user_id id = who.user ? who.user->id : sale::user_id{};
    attempt.failed();
    with.events.note(guard::security_event::login_failed, origin_of(c, id), with.clock.now());
    if (who.user && is_staff(who.user->role)) audit_staff(with, c, id, "staff.login_failed");
    return answer;
}

reply finish_log_in(services& with, const call& c, const known_account& who,
                    const credentials& said, guard::login_limits::attempt& attempt) try {
    const sale::user_id id = who.user ? who.user->id : sale::user_id{};
    const bool right = who.user ? with.passwords.verify(who.user->password_hash, said.password)
                                : with.passwords.spend(said.password);
    if (!right)
        return log_in_failed(with, c, who, attempt,
                             problem_reply(problem::wrong_credentials, c.language));
    if (who.user->disabled_at != instant{}) {
        attempt.succeeded();
        return problem_reply(problem::account_disabled, c.language);
    }
    if (auto refusal = refusal_by_second_factor(with, c, id, said.code)) {
        if (refusal->status != 401 || !said.code) return *std::move(refusal);
        return log_in_failed(with, c, who, attempt, *std::move(refusal));
    }
    renew_hash(with, *who.user, said.password);
    reply r = welcome(with, c, *who.user, who.from, 200);
    if (r.status == 200) {
        attempt.succeeded();
        with.events.note(guard::security_event::login, origin_of(c, id), with.clock.now());
        if (is_staff(who.user->role)) audit_staff(with, c, id, "staff.login");
    }
    return r;
} catch (const std::bad_alloc&) {
    return hashing_failed(c);
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

first_answer begin_register(services& with, const call& c) {
    json_body body(c.body);
    credentials who;
    who.nickname = body.text("nickname", {.min = 1, .max = sale::nickname_bytes_max});
    if (const auto fault = read_phone_and_password(body, who)) return refuse(*fault, c.language);
    if (const auto fault = fault_in_account(who)) return refuse(*fault, c.language);
    if (!with.switches.registration()) return switched_off(c);
    if (auto refusal = refusal_by_ledger(with, c)) return *std::move(refusal);
    if (auto refusal = refusal_by_address(with, c, guard::limit::register_by_address))
        return *std::move(refusal);
    const auto taken = with.ledger.users().find(who.phone);
    if (taken) return phone_is_taken(with, c, make_error_code(errc::already_exists));
    if (taken.error() != make_error_code(errc::not_found))
        return ledger_failed(with, c, taken.error());
    return second_step{pool::strangers, [&with, c, who] { return finish_register(with, c, who); }};
}

first_answer begin_log_in(services& with, const call& c) {
    json_body body(c.body);
    credentials who;
    who.code = body.optional_text("code",
                                  {.min = 1, .max = guard::second_factor_code_max, .secret = true});
    if (const auto fault = read_phone_and_password(body, who)) return refuse(*fault, c.language);
    if (auto refusal = refusal_by_ledger(with, c)) return *std::move(refusal);
    if (auto refusal = refusal_by_address(with, c, guard::limit::login_by_address))
        return *std::move(refusal);
    auto found = look_up(with, c, who.phone);
    if (!found) return ledger_failed(with, c, found.error());
    // Before the password is looked at: whoever turns this off wants no more hashing.
    const bool by_staff = found->user && is_staff(found->user->role);
    if (!with.switches.logins() && !by_staff) return switched_off(c);

    auto tried = with.login_limits.begin({.account = fnv1a(who.phone),
                                          .address = guard::limiter_key(c.client),
                                          .known_device = found->from.known_until > c.now},
                                         c.now);
    if (!tried.may_try) return too_many(with, c, tried.refused_by, tried.wait);
    const pool where = found->user ? pool::password : pool::strangers;
    return second_step{
        where, [&with, c, account = std::move(*found), who, attempt = std::move(tried.may_try)] {
            return finish_log_in(with, c, account, who, *attempt);
        }};
}

reply log_out(services& with, const call& c) {
    // The ledger first: were it the other way round, a restart could bring the login back.
    if (const auto removed = with.ledger.users().remove_login(c.login); !removed)
        return failure_reply(removed.error(), c.language);
    with.node.login_removed(c.login);
    with.events.note(guard::security_event::logout, origin_of(c, c.user), c.now);
    return {.status = 204};
}

reply me(services& with, const call& c) {
    const auto u = with.ledger.users().find(c.user);
    if (!u) return failure_reply(u.error(), c.language);
    return json_reply(200, to_json(*u));
}

}  // namespace floodgate::api
