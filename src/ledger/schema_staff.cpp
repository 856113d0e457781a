// Roles, second factors and the chained audit.

#include <array>

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array<std::string_view, 2> staff{
    "ALTER TABLE users ADD COLUMN must_change_password BIGINT NOT NULL DEFAULT 0",
    // sale::standing: what the log-in is good for.
    "ALTER TABLE logins ADD COLUMN standing VARCHAR(24) NOT NULL DEFAULT 'full'",
};

}  // namespace

statements staff_tables() { return staff; }

}  // namespace floodgate::ledger
