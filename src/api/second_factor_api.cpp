#include "api/second_factor_api.hpp"

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/fnv.hpp"
#include "api/json_body.hpp"
#include "api/login_standing.hpp"
#include "guard/addresses.hpp"
#include "guard/totp.hpp"

namespace floodgate::api {
namespace {

reply secret_reply(const boost::json::object& body) {
    reply r = json_reply(200, body);
    r.headers = "Cache-Control: no-store\r\n";
    return r;
}

std::optional<body_fault> read_code(const call& c, std::string& code) {
    json_body body(c.body);
    code = body.text("code", {.min = 1, .max = guard::second_factor_code_max, .secret = true});
    return body.finish();
}

// Wrong codes count like wrong passwords: a stolen log-in must not be enough to try all of them.
template <class Act>
reply limited(services& with, const call& c, const sale::user& u, Act act) {
    auto tried = with.login_limits.begin(
        {.account = fnv1a(u.phone), .address = guard::limiter_key(c.client), .known_device = true},
        c.now);
    if (!tried.may_try) {
        with.events.note_limited(tried.refused_by, {u.id, c.client, c.path}, c.now);
        return limited_reply(tried.wait, c.language);
    }
    reply r = act();
    if (r.status == 401) {
        tried.may_try->failed();
        with.events.note(guard::security_event::login_failed, {u.id, c.client, c.path}, c.now);
    }
    return r;
}

std::optional<reply> refusal_by_standing(const call& c) {
    if (c.standing != sale::standing::must_change_password) return std::nullopt;
    return problem_reply(problem::must_change_password, c.language);
}

reply confirm(services& with, const call& c, const std::string& code) {
    const auto factor = with.ledger.second_factors().find(c.user);
    if (!factor) return failure_reply(factor.error(), c.language);
    const auto step = guard::matching_step(factor->secret, code, c.now);
    if (!step)
        return problem_reply(problem::second_factor_required, c.language, {{"field", "code"}});
    const auto codes = guard::new_recovery_codes();
    std::vector<sale::token_hash> hashes;
    hashes.reserve(codes.size());
    for (const std::string& each : codes) hashes.push_back(guard::recovery_code_hash(each));
    const auto done = with.ledger.second_factors().confirm(
        c.user, {.step = *step, .recovery_codes = hashes},
        line_for(c,
                 {.action = "second_factor.set_up", .subject = subject_of("user", c.user.value)}));
    if (!done) return failure_reply(done.error(), c.language);
    renew_standing(with, c);
    boost::json::array shown;
    for (const std::string& each : codes) shown.emplace_back(each);
    return secret_reply({{"recovery_codes", std::move(shown)}});
}

reply remove(services& with, const call& c, const std::string& code) {
    if (!with.ledger.second_factors().find(c.user))
        return failure_reply(make_error_code(errc::not_found), c.language);
    if (auto refusal = refusal_by_second_factor(with, c, c.user, code)) return *std::move(refusal);
    const auto gone = with.ledger.second_factors().remove(
        c.user, line_for(c, {.action = "second_factor.removed",
                             .subject = subject_of("user", c.user.value)}));
    if (!gone) return failure_reply(gone.error(), c.language);
    renew_standing(with, c);
    return {.status = 204};
}

}  // namespace

reply begin_second_factor(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    if (auto refusal = refusal_by_standing(c)) return *std::move(refusal);
    const auto u = with.ledger.users().find(c.user);
    if (!u) return failure_reply(u.error(), c.language);
    const std::string secret = guard::new_totp_secret();
    if (const auto begun = with.ledger.second_factors().begin(c.user, secret, c.now); !begun)
        return failure_reply(begun.error(), c.language);
    return secret_reply(
        {{"secret", guard::to_base32(secret)},
         {"uri", guard::totp_uri(secret, u->phone.empty() ? u->nickname : u->phone)}});
}

reply confirm_second_factor(services& with, const call& c) {
    std::string code;
    if (const auto fault = read_code(c, code)) return refuse(*fault, c.language);
    if (auto refusal = refusal_by_standing(c)) return *std::move(refusal);
    const auto u = with.ledger.users().find(c.user);
    if (!u) return failure_reply(u.error(), c.language);
    return limited(with, c, *u, [&] { return confirm(with, c, code); });
}

reply remove_second_factor(services& with, const call& c) {
    std::string code;
    if (const auto fault = read_code(c, code)) return refuse(*fault, c.language);
    if (auto refusal = refusal_by_standing(c)) return *std::move(refusal);
    const auto u = with.ledger.users().find(c.user);
    if (!u) return failure_reply(u.error(), c.language);
    return limited(with, c, *u, [&] { return remove(with, c, code); });
}

reply refuse_act(services& with, const call& c) {
    audit_staff(with, c, c.user, "staff.refused");
    return problem_reply(problem::forbidden, c.language);
}

}  // namespace floodgate::api
