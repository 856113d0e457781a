// A ticket as Redis keeps it: "user expires login", e.g. "17 1800000030000 a7...", the login's hash
// in hexadecimal digits. One ticket has one spelling.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "guard/ticket_office.hpp"

namespace floodgate::guard {

struct stored_ticket {
    ticket_holder holder;
    instant expires_at;
};

std::string to_text(const stored_ticket& t);
std::optional<stored_ticket> parse_stored_ticket(std::string_view text);

}  // namespace floodgate::guard
