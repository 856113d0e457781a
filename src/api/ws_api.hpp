// The WebSocket's ticket. The socket itself is the event loop's: event_loop_results.cpp.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// -> 201 {ticket, expires_at}: good for one GET /ws?ticket=
reply issue_ticket(services& with, const call& c);

}  // namespace floodgate::api
