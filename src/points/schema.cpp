#include "points/schema.hpp"

#include <array>

namespace floodgate::points {
namespace {

constexpr std::array<std::string_view, 4> first_tables{
    // log_lines: how many lines the account has in points_log. It grows with every change, so a
    // change that was decided on an old balance is noticed.
    R"(CREATE TABLE points_accounts (
        user_id {row_id},
        available BIGINT NOT NULL,
        reserved BIGINT NOT NULL,
        pending BIGINT NOT NULL,
        log_lines BIGINT NOT NULL,
        CHECK (available >= 0 AND reserved >= 0 AND pending >= 0)){table_end})",
    // A cancel that came before its try has the user 0 and no points.
    R"(CREATE TABLE points_tries (
        order_no BIGINT NOT NULL,
        kind VARCHAR(8) NOT NULL,
        user_id BIGINT NOT NULL,
        points BIGINT NOT NULL,
        given_back BIGINT NOT NULL,
        state VARCHAR(12) NOT NULL,
        tried_ms BIGINT NOT NULL,
        settled_ms BIGINT NOT NULL,
        PRIMARY KEY (order_no, kind),
        CHECK (given_back >= 0 AND given_back <= points)){clustered_end})",
    "CREATE INDEX points_tries_open ON points_tries (state, tried_ms)",
    // request: of give-backs and grants, whose order is 0; NULL for all others.
    R"(CREATE TABLE points_log (
        user_id BIGINT NOT NULL,
        line BIGINT NOT NULL,
        event VARCHAR(20) NOT NULL,
        order_no BIGINT NOT NULL,
        request VARCHAR(64) NULL,
        available_before BIGINT NOT NULL,
        reserved_before BIGINT NOT NULL,
        pending_before BIGINT NOT NULL,
        available_after BIGINT NOT NULL,
        reserved_after BIGINT NOT NULL,
        pending_after BIGINT NOT NULL,
        reason VARCHAR(200) NOT NULL,
        by_user BIGINT NOT NULL,
        at_ms BIGINT NOT NULL,
        PRIMARY KEY (user_id, line),
        UNIQUE (order_no, request)){clustered_end})",
};

// Earns stay open for days. A search for open spends must not read them all.
constexpr std::array<std::string_view, 1> tries_by_kind{
    "CREATE INDEX points_tries_open_of_kind ON points_tries (kind, state, tried_ms)",
};

constexpr std::array<store::migration, 2> steps{store::migration{1, first_tables},
                                                store::migration{2, tries_by_kind}};

}  // namespace

store::schema tables() { return {"points", "points_", steps}; }

}  // namespace floodgate::points
