// Switches: one row, which every node reads again and again.

#include <array>

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array<std::string_view, 2> tables{
    // 1: on, as usual. 0: an admin has switched it off.
    R"(CREATE TABLE switches (
        id {row_id},
        logins BIGINT NOT NULL,
        registration BIGINT NOT NULL,
        refunds BIGINT NOT NULL,
        sales BIGINT NOT NULL,
        reason VARCHAR(200) NOT NULL,
        changed_ms BIGINT NOT NULL,
        changed_by BIGINT NOT NULL){table_end})",
    "INSERT INTO switches (id, logins, registration, refunds, sales, reason, changed_ms, "
    "changed_by) VALUES (1, 1, 1, 1, 1, '', 0, 0)",
};

}  // namespace

statements operations_tables() { return tables; }

}  // namespace floodgate::ledger
