// External ids and metadata of products, rounds and sales; uploaded pictures.

#include <array>

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {

statements catalogue_tables() {
    // An external id is NULL where there is none, because NULLs do not clash in a unique index.
    static constexpr std::array<std::string_view, 10> steps{
        "ALTER TABLE products ADD COLUMN external_id VARCHAR(64) NULL",
        "ALTER TABLE products ADD COLUMN metadata VARCHAR(2048) NOT NULL DEFAULT ''",
        "CREATE UNIQUE INDEX products_external ON products (external_id)",
        "ALTER TABLE rounds ADD COLUMN external_id VARCHAR(64) NULL",
        "CREATE UNIQUE INDEX rounds_external ON rounds (external_id)",
        "ALTER TABLE sales ADD COLUMN external_id VARCHAR(64) NULL",
        "ALTER TABLE sales ADD COLUMN metadata VARCHAR(2048) NOT NULL DEFAULT ''",
        "CREATE UNIQUE INDEX sales_external ON sales (external_id)",
        // hash: BLAKE2b-256 of the content, in hexadecimal. kind: png, jpeg or webp.
        R"(CREATE TABLE pictures (
            hash VARCHAR(64) NOT NULL PRIMARY KEY,
            kind VARCHAR(8) NOT NULL,
            width BIGINT NOT NULL,
            height BIGINT NOT NULL,
            bytes BIGINT NOT NULL,
            added_by BIGINT NOT NULL,
            added_ms BIGINT NOT NULL){clustered_end})",
        // The content in parts, so that one statement stays far below max_allowed_packet.
        R"(CREATE TABLE picture_parts (
            hash VARCHAR(64) NOT NULL,
            place BIGINT NOT NULL,
            content MEDIUMBLOB NOT NULL,
            PRIMARY KEY (hash, place)){table_end})",
    };
    return steps;
}

}  // namespace floodgate::ledger
