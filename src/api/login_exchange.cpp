#include "api/login_exchange.hpp"

#include "api/account_json.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "guard/tokens.hpp"

namespace floodgate::api {

reply exchange_login(services& with, const call& c) {
    json_body body(c.body);
    ledger::account_book::external_user who;
    who.external_id = body.text("external_id", {.min = 1, .max = sale::external_id_bytes_max});
    who.nickname = body.text("nickname", {.min = 1, .max = sale::nickname_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (!guard::is_external_id(who.external_id))
        return refuse({"external_id", "external_id must be printable ASCII without blanks"},
                      c.language);
    if (const auto fault = guard::fault_in_nickname(who.nickname))
        return refuse({"nickname", explain(*fault)}, c.language);

    const auto user = with.ledger.accounts().find_or_add(who, c.now);
    if (!user) return failure_reply(user.error(), c.language);
    if (user->disabled_at != instant{}) return problem_reply(problem::account_disabled, c.language);
    // The address is that of the shop's server and says nothing of the user.
    const std::string token = guard::new_token();
    const sale::login login{.hash = guard::hash_of(token),
                            .user = user->id,
                            .role = sale::role::buyer,
                            .expires_at = c.now + with.login_lifetime,
                            .created_at = c.now};
    if (const auto added = with.ledger.users().add_login(login); !added)
        return failure_reply(added.error(), c.language);
    with.node.login_made(login);
    reply r = json_reply(
        200,
        {{"token", token}, {"user", to_json(*user)}, {"expires_at", to_iso(login.expires_at)}});
    r.headers = "Cache-Control: no-store\r\n";
    return r;
}

}  // namespace floodgate::api
