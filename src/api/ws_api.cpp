#include "api/ws_api.hpp"

#include "api/failure.hpp"

namespace floodgate::api {

reply issue_ticket(services& with, const call& c) {
    const auto ticket = with.tickets.issue(c.user, c.now);
    if (!ticket) return failure_reply(ticket.error(), c.language);
    return json_reply(201, {{"ticket", ticket->text}, {"expires_at", to_iso(ticket->expires_at)}});
}

}  // namespace floodgate::api
