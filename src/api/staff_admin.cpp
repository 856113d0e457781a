#include "api/staff_admin.hpp"

#include <new>

#include "api/account_json.hpp"
#include "api/admin_desk.hpp"
#include "api/auth_api.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "guard/account_rules.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t typed_phone_bytes_max = 40;
constexpr std::size_t one_time_password_characters = 16;

boost::json::object shown(const ledger::staff_book::member& m) {
    boost::json::object out{{"id", m.user.id.value},
                            {"phone", m.user.phone},
                            {"nickname", m.user.nickname},
                            {"role", to_word(m.user.role)},
                            {"must_change_password", m.user.must_change_password},
                            {"second_factor", m.has_second_factor},
                            {"disabled", m.user.disabled_at != instant{}},
                            {"created_at", to_iso(m.user.created_at)}};
    return out;
}

reply unseen(reply r) {
    r.headers += "Cache-Control: no-store\r\n";
    return r;
}

std::string new_one_time_password() {
    return guard::new_token().substr(0, one_time_password_characters);
}

std::optional<sale::role> read_role(json_body& body, std::optional<body_fault>& fault,
                                    bool buyer_too) {
    const auto role = sale::role_of(body.text("role", {.min = 1, .max = 20}));
    if (role && (buyer_too || is_staff(*role))) return role;
    fault = body_fault{"role", buyer_too ? "role must be admin, operator, viewer, support or buyer"
                                         : "role must be admin, operator, viewer or support"};
    return std::nullopt;
}

reply hashing_failed(const call& c) {
    return failure_reply(make_error_code(errc::overloaded), c.language);
}

void end(services& with, const ledger::ended_logins& logins) {
    for (const sale::token_hash& hash : logins) with.node.login_removed(hash);
}

reply refuse_change(const call& c, const boost::system::error_code& why) {
    if (why != make_error_code(errc::conflict)) return failure_reply(why, c.language);
    return failure_reply(why, c.language, {{"detail", "this is the last active admin"}});
}

}  // namespace

reply list_staff(services& with, const call& c) {
    const auto all = with.ledger.staff().list();
    if (!all) return failure_reply(all.error(), c.language);
    boost::json::array out;
    for (const auto& m : *all) out.push_back(shown(m));
    return json_reply(200, {{"staff", std::move(out)}});
}

reply add_staff(services& with, const call& c) try {
    json_body body(c.body);
    sale::user u{.created_at = c.now};
    u.phone = normalised_phone(body.text("phone", {.min = 1, .max = typed_phone_bytes_max}));
    u.nickname = body.text("nickname", {.min = 1, .max = sale::nickname_bytes_max, .name = true});
    std::optional<body_fault> wrong_role;
    const auto role = read_role(body, wrong_role, false);
    const auto given =
        body.optional_text("password", {.min = 1, .max = sale::password_bytes_max, .secret = true});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (wrong_role) return refuse(*wrong_role, c.language);
    if (const auto fault = guard::fault_in_phone(u.phone))
        return refuse({"phone", explain(*fault)}, c.language);
    if (given)
        if (const auto fault = guard::fault_in_password(*given, u.phone))
            return refuse({"password", explain(*fault)}, c.language);
    const std::string password = given.value_or(new_one_time_password());
    u.role = *role;
    u.must_change_password = !given;
    u.password_hash = with.passwords.hash(password);
    const auto id = with.ledger.staff().add(u, [&](sale::user_id made) {
        return line_for(c, {.action = "staff.added",
                            .subject = subject_of("user", made.value),
                            .after = {{"nickname", u.nickname}, {"role", to_word(u.role)}}});
    });
    if (!id) return failure_reply(id.error(), c.language, {{"field", "phone"}});
    u.id = *id;
    shop::log_act(c.user, "staff.added", subject_of("user", id->value));
    boost::json::object out = shown({u, false});
    if (!given) out["one_time_password"] = password;
    return unseen(json_reply(201, out));
} catch (const std::bad_alloc&) {
    return hashing_failed(c);
}

reply set_staff_role(services& with, const call& c) {
    json_body body(c.body);
    std::optional<body_fault> wrong_role;
    const auto role = read_role(body, wrong_role, true);
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (wrong_role) return refuse(*wrong_role, c.language);
    const sale::user_id id{c.ids.at(0)};
    auto u = with.ledger.users().find(id);
    if (!u) return failure_reply(u.error(), c.language);
    const auto ended =
        with.ledger.staff().set_role(id, *role,
                                     line_for(c, {.action = "staff.role_changed",
                                                  .subject = subject_of("user", id.value),
                                                  .before = {{"role", to_word(u->role)}},
                                                  .after = {{"role", to_word(*role)}}}));
    if (!ended) return refuse_change(c, ended.error());
    end(with, *ended);
    shop::log_act(c.user, "staff.role_changed", subject_of("user", id.value));
    u->role = *role;
    const auto member = with.ledger.staff().find(id);
    return json_reply(200, shown(member ? *member : ledger::staff_book::member{*u}));
}

reply reset_staff_password(services& with, const call& c) try {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const sale::user_id id{c.ids.at(0)};
    if (const auto m = with.ledger.staff().find(id); !m)
        return failure_reply(m.error(), c.language);
    const std::string password = new_one_time_password();
    const auto ended = with.ledger.staff().set_password(
        id, {.hash = with.passwords.hash(password)},
        line_for(c, {.action = "staff.password_reset", .subject = subject_of("user", id.value)}));
    if (!ended) return failure_reply(ended.error(), c.language);
    end(with, *ended);
    shop::log_act(c.user, "staff.password_reset", subject_of("user", id.value));
    return unseen(json_reply(200, {{"one_time_password", password}}));
} catch (const std::bad_alloc&) {
    return hashing_failed(c);
}

reply remove_staff_second_factor(services& with, const call& c) {
    if (auto refusal = refusal_of_body(c)) return *std::move(refusal);
    const sale::user_id id{c.ids.at(0)};
    const auto gone = with.ledger.second_factors().remove(
        id, line_for(c, {.action = "staff.second_factor_removed",
                         .subject = subject_of("user", id.value)}));
    if (!gone) return failure_reply(gone.error(), c.language);
    shop::log_act(c.user, "staff.second_factor_removed", subject_of("user", id.value));
    return {.status = 204};
}

}  // namespace floodgate::api
