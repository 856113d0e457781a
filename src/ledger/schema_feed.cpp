// The feed of order events and its webhooks.

#include <array>

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array<std::string_view, 14> tables{
    // What readers of orders want to know. The moves write it; an entry leaves the defaults.
    "ALTER TABLE orders ADD COLUMN method VARCHAR(12) NOT NULL DEFAULT ''",
    "ALTER TABLE orders ADD COLUMN paid_ms BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE orders ADD COLUMN closed_ms BIGINT NOT NULL DEFAULT 0",
    "ALTER TABLE orders ADD COLUMN refunded_ms BIGINT NOT NULL DEFAULT 0",
    R"(UPDATE orders SET
        method = COALESCE((SELECT MAX(t.method) FROM trades t
                           WHERE t.order_no = orders.order_no AND t.state = 'paid'), ''),
        paid_ms = COALESCE((SELECT MAX(t.paid_ms) FROM trades t
                            WHERE t.order_no = orders.order_no AND t.state = 'paid'), 0),
        refunded_ms = COALESCE((SELECT MAX(r.done_ms) FROM refunds r
                                WHERE r.order_no = orders.order_no
                                AND r.cause IN ('buyer', 'admin')), 0)
        WHERE order_no IN (SELECT order_no FROM trades))",
    R"(UPDATE orders SET
        closed_ms = COALESCE((SELECT MAX(e.at_ms) FROM order_events e
                              WHERE e.buyer_id = orders.buyer_id AND e.order_no = orders.order_no
                              AND e.to_state = 'closed'), 0)
        WHERE state = 'closed')",
    // One row for each transaction that entered or moved orders; see feed_book.hpp. first_no: the
    // number of its first event, given later by the sequencer; NULL until then.
    R"(CREATE TABLE feed (
        id {auto_id},
        first_no BIGINT NULL,
        events BIGINT NOT NULL,
        kind VARCHAR(8) NOT NULL,
        at_ms BIGINT NOT NULL,
        payload VARBINARY(8000) NOT NULL,
        UNIQUE (first_no)){table_end})",
    R"(CREATE TABLE feed_state (
        line BIGINT NOT NULL PRIMARY KEY,
        next_no BIGINT NOT NULL,
        first_kept BIGINT NOT NULL){clustered_end})",
    "INSERT INTO feed_state (line, next_no, first_kept) VALUES (1, 1, 1)",
    // Receivers of the feed: webhook_book.hpp. A secret must be kept as it is, because it signs.
    R"(CREATE TABLE webhooks (
        id {auto_id},
        url VARCHAR(500) NOT NULL,
        kinds VARCHAR(200) NOT NULL,
        state VARCHAR(8) NOT NULL,
        secret VARCHAR(64) NOT NULL,
        old_secret VARCHAR(64) NOT NULL,
        old_until_ms BIGINT NOT NULL,
        delivered BIGINT NOT NULL,
        created_ms BIGINT NOT NULL,
        tries BIGINT NOT NULL,
        failing_since_ms BIGINT NOT NULL,
        next_try_ms BIGINT NOT NULL){table_end})",
    R"(CREATE TABLE webhook_attempts (
        id {auto_id},
        webhook_id BIGINT NOT NULL,
        at_ms BIGINT NOT NULL,
        status BIGINT NOT NULL,
        took_ms BIGINT NOT NULL,
        events BIGINT NOT NULL,
        last_no BIGINT NOT NULL,
        error VARCHAR(200) NOT NULL){table_end})",
    "CREATE INDEX webhook_attempts_of ON webhook_attempts (webhook_id, id)",
    // For the story of one order.
    "CREATE INDEX audit_about ON audit (subject, id)",
    "CREATE INDEX payment_messages_about ON payment_messages (order_no, id)",
};

}  // namespace

statements feed_tables() { return tables; }

}  // namespace floodgate::ledger
