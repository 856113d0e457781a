// The WebSocket's ticket. The event loop handles the socket itself: http/result_desk.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// -> 201 {ticket, expires_at}: good for one GET /ws?ticket=
reply issue_ticket(services& with, const call& c);

// Whose ticket it is; works once. Also empty when the log-in it was issued for has ended since.
// store_unavailable: nothing is known about it. Blocks if the ticket office does.
result<std::optional<guard::ticket_holder>> redeem_ticket(services& with, std::string_view text,
                                                          instant now);

}  // namespace floodgate::api
