#include "api/ws_api.hpp"

#include "api/failure.hpp"

namespace floodgate::api {

reply issue_ticket(services& with, const call& c) {
    const auto ticket = with.tickets.issue({c.user, c.login}, c.now);
    if (!ticket) return failure_reply(ticket.error(), c.language);
    return json_reply(201, {{"ticket", ticket->text}, {"expires_at", to_iso(ticket->expires_at)}});
}

result<std::optional<guard::ticket_holder>> redeem_ticket(services& with, std::string_view text,
                                                          instant now) {
    auto redeemed = with.tickets.redeem(text, now);
    if (!redeemed || !*redeemed) return redeemed;
    if (with.access.lists().read()->is_disabled((*redeemed)->user))
        return std::optional<guard::ticket_holder>();
    const sale::token_hash login = (*redeemed)->login;
    if (with.sessions.find(login, now)) return redeemed;
    // Another node of a cluster may have issued the ticket for a log-in this one has not heard of.
    if (!with.node.knows_more_logins()) return std::optional<guard::ticket_holder>();
    const auto known = with.node.find_login(login, now);
    if (known) return redeemed;
    if (known.error() != errc::not_found) return known.error();
    return std::optional<guard::ticket_holder>();
}

}  // namespace floodgate::api
