// Roles, second factors and the chained audit.

#include <array>

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array<std::string_view, 12> staff{
    "ALTER TABLE users ADD COLUMN must_change_password BIGINT NOT NULL DEFAULT 0",
    // sale::standing: what the log-in is good for.
    "ALTER TABLE logins ADD COLUMN standing VARCHAR(24) NOT NULL DEFAULT 'full'",
    // Log-ins that were ended for their owner: a server whose memory still has them, because
    // another process ended them, reads on from the last id it has seen.
    R"(CREATE TABLE ended_logins (
        id {auto_id},
        token_hash VARBINARY(32) NOT NULL,
        at_ms BIGINT NOT NULL){table_end})",
    // confirmed: 0 until the user has shown a code. last_step: each code is accepted once.
    R"(CREATE TABLE second_factors (
        user_id {row_id},
        secret VARBINARY(64) NOT NULL,
        confirmed BIGINT NOT NULL,
        last_step BIGINT NOT NULL,
        created_ms BIGINT NOT NULL){table_end})",
    R"(CREATE TABLE recovery_codes (
        user_id BIGINT NOT NULL,
        code_hash VARBINARY(32) NOT NULL,
        PRIMARY KEY (user_id, code_hash)){clustered_end})",
    // Who acted, as they were called and what they were at the time.
    "ALTER TABLE audit ADD COLUMN role VARCHAR(8) NOT NULL DEFAULT ''",
    "ALTER TABLE audit ADD COLUMN name VARCHAR(64) NOT NULL DEFAULT ''",
    // The line's place in the chain and its hash, in hexadecimal digits: audit_chain.hpp. NULL: not
    // sealed yet.
    "ALTER TABLE audit ADD COLUMN place BIGINT NULL",
    "ALTER TABLE audit ADD COLUMN hash VARCHAR(64) NOT NULL DEFAULT ''",
    "CREATE UNIQUE INDEX audit_place ON audit (place)",
    // The last line of the chain.
    "CREATE TABLE audit_chain (id {row_id}, place BIGINT NOT NULL, hash VARCHAR(64) NOT NULL)"
    "{table_end}",
    "INSERT INTO audit_chain (id, place, hash) VALUES (1, 0, '')",
};

}  // namespace

statements staff_tables() { return staff; }

}  // namespace floodgate::ledger
