// The WebSocket's ticket. The socket itself is the event loop's: http/result_desk.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// -> 201 {ticket, expires_at}: good for one GET /ws?ticket=
reply issue_ticket(services& with, const call& c);

// Whose it is, once. Nothing also when the log-in it was issued for has ended since. Blocks where
// the ticket office does.
std::optional<guard::ticket_holder> redeem_ticket(services& with, std::string_view text,
                                                  instant now);

}  // namespace floodgate::api
