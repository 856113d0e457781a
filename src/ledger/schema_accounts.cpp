// External ids of users, disabled users, where log-ins came from, API keys.

#include <array>

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {
namespace {

// A user without a phone number has '~' and random digits in users.phone, which is unique and not
// NULL: no phone number looks like that, and it is never shown (account_rows.hpp).
constexpr std::array<std::string_view, 12> accounts{
    "ALTER TABLE users ADD COLUMN external_id VARCHAR(64) NULL",
    "CREATE UNIQUE INDEX users_external_id ON users (external_id)",
    // 0: not disabled.
    "ALTER TABLE users ADD COLUMN disabled_ms BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE users ADD COLUMN forgotten_ms BIGINT NOT NULL DEFAULT 0",
    "CREATE INDEX users_disabled ON users (disabled_ms)",
    "ALTER TABLE logins ADD COLUMN created_ms BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE logins ADD COLUMN address VARCHAR(45) NOT NULL DEFAULT ''",
    "CREATE INDEX logins_of_user ON logins (user_id)",
    // scopes: words with a blank between them. expires_ms, last_used_ms, revoked_ms: 0 for never.
    R"(CREATE TABLE api_keys (
        id {auto_id},
        name VARCHAR(64) NOT NULL,
        scopes VARCHAR(100) NOT NULL,
        secret_hash VARBINARY(32) NOT NULL,
        created_ms BIGINT NOT NULL,
        created_by BIGINT NOT NULL,
        expires_ms BIGINT NOT NULL,
        last_used_ms BIGINT NOT NULL,
        revoked_ms BIGINT NOT NULL,
        UNIQUE (secret_hash)){table_end})",
    // Grows with every change of the API keys and of the disabled users. Nodes keep both in memory
    // and look here whether they must read them again.
    "CREATE TABLE access_revision (id {row_id}, revision BIGINT NOT NULL){table_end}",
    "INSERT INTO access_revision (id, revision) VALUES (1, 1)",
    // One-time codes for users who forgot their password. tries: how many are left.
    R"(CREATE TABLE password_resets (
        user_id {row_id},
        code_hash VARBINARY(32) NOT NULL,
        expires_ms BIGINT NOT NULL,
        tries BIGINT NOT NULL){table_end})",
};

}  // namespace

statements account_tables() { return accounts; }

}  // namespace floodgate::ledger
