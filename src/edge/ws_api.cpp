#include "edge/ws_api.hpp"

namespace floodgate::edge {

reply issue_ticket(services& with, const call& c) {
    const auto ticket = with.tickets.issue(c.user, c.now);
    return json_reply(201, {{"ticket", ticket.text}, {"expires_at", to_iso(ticket.expires_at)}});
}

}  // namespace floodgate::edge
