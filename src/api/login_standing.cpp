#include "api/login_standing.hpp"

#include <algorithm>

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "base/log.hpp"
#include "guard/addresses.hpp"
#include "guard/totp.hpp"

namespace floodgate::api {
namespace {

const auto none = make_error_code(errc::not_found);

result<bool> is_right(services& with, const call& c, sale::user_id user,
                      const ledger::second_factor& factor, const std::string& code) {
    if (const auto step = guard::matching_step(factor.secret, code, c.now))
        return with.ledger.second_factors().use_step(user, *step);
    return with.ledger.second_factors().use_recovery_code(user, guard::recovery_code_hash(code));
}

}  // namespace

result<sale::standing> standing_for(services& with, const sale::user& u) {
    if (u.must_change_password) return sale::standing::must_change_password;
    if (std::ranges::find(with.second_factor_roles, u.role) == with.second_factor_roles.end())
        return sale::standing::full;
    const auto factor = with.ledger.second_factors().find(u.id);
    if (!factor && factor.error() != none) return factor.error();
    return factor && factor->confirmed ? sale::standing::full
                                       : sale::standing::second_factor_missing;
}

void renew_standing(services& with, const call& c) {
    const auto user = with.ledger.users().find(c.user);
    auto login = with.ledger.users().find_login(c.login, c.now);
    if (!user || !login) return;
    const auto now = standing_for(with, *user);
    if (!now || *now == login->standing) return;
    if (!with.ledger.staff().set_standing(c.login, *now)) {
        log::warning("api.standing_not_renewed", "user", c.user.value);
        return;
    }
    login->standing = *now;
    with.node.login_made(*login);
}

std::optional<reply> refusal_by_second_factor(services& with, const call& c, sale::user_id user,
                                              const std::optional<std::string>& code) {
    const auto factor = with.ledger.second_factors().find(user);
    if (!factor && factor.error() == none) return std::nullopt;
    if (!factor) return failure_reply(factor.error(), c.language);
    if (!factor->confirmed) return std::nullopt;
    if (!code) return problem_reply(problem::second_factor_required, c.language);
    const auto right = is_right(with, c, user, *factor, *code);
    if (!right) return failure_reply(right.error(), c.language);
    if (*right) return std::nullopt;
    return problem_reply(problem::second_factor_required, c.language,
                         {{"detail", "the code is wrong or was used already"}, {"field", "code"}});
}

void audit_staff(services& with, const call& c, sale::user_id user, const char* action) {
    const auto line = shop::line_for(
        {user, guard::prefix_text(c.client), c.now},
        {.action = action, .subject = subject_of("user", user.value), .after = {{"path", c.path}}});
    if (const auto written = with.ledger.audit().add(line); !written)
        log::warning("api.audit_line_lost", "user", user.value, "action", action);
}

}  // namespace floodgate::api
