// The tables. Columns are named with the words of sale/. Times are UTC milliseconds, money is fen.
// States, roles and kinds are words: an operator can read them, and a renumbered enum cannot garble
// them.
//
// Plain SQL only: lengths are for MySQL, and SQLite takes them as hints; no CHECK on states, no
// partial index. Orders refer to no other table, so that a promise for an unknown sale can be
// booked as failed.

#include <array>

#include "ledger/migrations.hpp"
#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array<std::string_view, 12> first_tables{
    R"(CREATE TABLE products (
        id {auto_id},
        title VARCHAR(200) NOT NULL,
        description TEXT NOT NULL,
        list_price_fen BIGINT NOT NULL){table_end})",
    R"(CREATE TABLE product_pictures (
        product_id BIGINT NOT NULL,
        place SMALLINT NOT NULL,
        address VARCHAR(500) NOT NULL,
        PRIMARY KEY (product_id, place),
        FOREIGN KEY (product_id) REFERENCES products (id)){clustered_end})",
    R"(CREATE TABLE rounds (
        id {auto_id},
        title VARCHAR(200) NOT NULL,
        starts_ms BIGINT NOT NULL,
        ends_ms BIGINT NOT NULL){table_end})",
    // buyer_limit_peak: see docs/ledger.md, "Buyer limits".
    R"(CREATE TABLE sales (
        id {auto_id},
        product_id BIGINT NOT NULL,
        round_id BIGINT NOT NULL,
        price_fen BIGINT NOT NULL,
        price_points BIGINT NOT NULL,
        stock BIGINT NOT NULL,
        held BIGINT NOT NULL,
        buyer_limit BIGINT NOT NULL,
        buyer_limit_peak BIGINT NOT NULL,
        pay_within_s BIGINT NOT NULL,
        state VARCHAR(12) NOT NULL,
        CHECK (held >= 0 AND held <= stock),
        UNIQUE (round_id, product_id),
        FOREIGN KEY (product_id) REFERENCES products (id),
        FOREIGN KEY (round_id) REFERENCES rounds (id)){table_end})",
    R"(CREATE TABLE users (
        id {auto_id},
        phone VARCHAR(20) NOT NULL,
        nickname VARCHAR(64) NOT NULL,
        password_hash VARCHAR(200) NOT NULL,
        role VARCHAR(8) NOT NULL,
        created_ms BIGINT NOT NULL,
        UNIQUE (phone)){table_end})",
    R"(CREATE TABLE logins (
        token_hash VARBINARY(32) NOT NULL PRIMARY KEY,
        user_id BIGINT NOT NULL,
        role VARCHAR(8) NOT NULL,
        expires_ms BIGINT NOT NULL){clustered_end})",
    // mark: NULL when the order holds no stock; otherwise 0 where the limit is one, and the order
    // number where the limit is higher. The unique key enforces the limit of one. The buyer comes
    // first in it, so that it also finds a buyer's orders in a sale.
    R"(CREATE TABLE orders (
        order_no {row_id},
        sale_id BIGINT NOT NULL,
        buyer_id BIGINT NOT NULL,
        quantity BIGINT NOT NULL,
        amount_fen BIGINT NOT NULL,
        amount_points BIGINT NOT NULL,
        state VARCHAR(12) NOT NULL,
        reason VARCHAR(40) NOT NULL,
        created_ms BIGINT NOT NULL,
        pay_by_ms BIGINT NOT NULL,
        idempotency_key VARBINARY(16) NULL,
        mark BIGINT NULL,
        UNIQUE (buyer_id, sale_id, mark)){table_end})",
    R"(CREATE TABLE stock_log (
        id {auto_id},
        sale_id BIGINT NOT NULL,
        kind VARCHAR(12) NOT NULL,
        stock_before BIGINT NOT NULL,
        stock_after BIGINT NOT NULL,
        held_before BIGINT NOT NULL,
        held_after BIGINT NOT NULL,
        note VARCHAR(500) NOT NULL,
        at_ms BIGINT NOT NULL){table_end})",
    "CREATE INDEX stock_log_of_sale ON stock_log (sale_id, id)",
    R"(CREATE TABLE audit (
        id {auto_id},
        at_ms BIGINT NOT NULL,
        user_id BIGINT NOT NULL,
        action VARCHAR(80) NOT NULL,
        subject VARCHAR(200) NOT NULL,
        details TEXT NOT NULL){table_end})",
    "CREATE TABLE journal_position (line BIGINT NOT NULL PRIMARY KEY, position BIGINT NOT "
    "NULL){table_end}",
    // Line 1 is the journal. sale/line_id.hpp has the lines of a cluster's partitions.
    "INSERT INTO journal_position (line, position) VALUES (1, 0)",
};

// For the timed job that closes unpaid orders in the order of their deadlines.
constexpr std::array<std::string_view, 1> deadlines{
    "CREATE INDEX orders_due ON orders (state, pay_by_ms)",
};

// The life of an order after its entry.
constexpr std::array<std::string_view, 7> whole_lives{
    // Only for orders with a payment that was begun: the channel that must be asked before the
    // order is closed or refunded. question: '', 'close' or 'refund'; cause: why it is being
    // closed.
    R"(CREATE TABLE payments (
        order_no {row_id},
        method VARCHAR(12) NOT NULL,
        begun_ms BIGINT NOT NULL,
        question VARCHAR(8) NOT NULL,
        cause VARCHAR(12) NOT NULL,
        tries BIGINT NOT NULL,
        asked_since_ms BIGINT NOT NULL,
        next_try_ms BIGINT NOT NULL,
        note VARCHAR(200) NOT NULL){table_end})",
    "CREATE INDEX payments_open ON payments (question, next_try_ms)",
    // Every move of an order except its entry, which the order's row records. The buyer's mailbox.
    R"(CREATE TABLE order_events (
        id {auto_id},
        order_no BIGINT NOT NULL,
        buyer_id BIGINT NOT NULL,
        sale_id BIGINT NOT NULL,
        from_state VARCHAR(12) NOT NULL,
        to_state VARCHAR(12) NOT NULL,
        reason VARCHAR(40) NOT NULL,
        at_ms BIGINT NOT NULL){table_end})",
    "CREATE INDEX order_events_of_buyer ON order_events (buyer_id, id)",
    // Promises that could not be entered. payload: as sale/promise.hpp encodes it.
    R"(CREATE TABLE letters (
        id {auto_id},
        order_no BIGINT NOT NULL,
        sale_id BIGINT NOT NULL,
        units BIGINT NOT NULL,
        payload VARBINARY(200) NOT NULL,
        state VARCHAR(12) NOT NULL,
        cause VARCHAR(500) NOT NULL,
        attempts BIGINT NOT NULL,
        first_ms BIGINT NOT NULL,
        last_ms BIGINT NOT NULL,
        next_try_ms BIGINT NOT NULL,
        decided_by BIGINT NOT NULL,
        note VARCHAR(500) NOT NULL,
        UNIQUE (order_no)){table_end})",
    "CREATE INDEX letters_due ON letters (state, next_try_ms)",
    // The reconciliation counts from this index alone.
    "CREATE INDEX orders_tally ON orders (sale_id, state, quantity)",
};

// For several nodes that share the book.
constexpr std::array<std::string_view, 3> many_nodes{
    // Grows with every change of the sale's terms, state, stock or window.
    "ALTER TABLE sales ADD COLUMN revision BIGINT NOT NULL DEFAULT 1",
    // Counts decisions that did not change the order's state (a payment was begun, a channel is to
    // be asked). Galera compares only changed rows, so such a decision must change the row.
    "ALTER TABLE orders ADD COLUMN touched BIGINT NOT NULL DEFAULT 0",
    // number: the highest given out; a write with a lower one is refused.
    R"(CREATE TABLE fences (
        name VARCHAR(64) NOT NULL PRIMARY KEY,
        number BIGINT NOT NULL,
        writes BIGINT NOT NULL){clustered_end})",
};

// Lets the inspection compare the ledger with the journal and with the acts of admins.
constexpr std::array<std::string_view, 3> accountability{
    // The journal of line 1 by its id; 0: there has been none yet.
    "ALTER TABLE journal_position ADD COLUMN journal_id BIGINT NOT NULL DEFAULT 0",
    // The network an admin acted from.
    "ALTER TABLE audit ADD COLUMN address VARCHAR(45) NOT NULL DEFAULT ''",
    // The audit line of the act that moved the stock; 0: not an admin's act, or an old line.
    "ALTER TABLE stock_log ADD COLUMN audit_id BIGINT NOT NULL DEFAULT 0",
};

// For buyers who buy and give up, again and again.
constexpr std::array<std::string_view, 2> mills{
    // A buyer's orders in the order of the pages. Without it the database sorts all of them for
    // each page.
    "CREATE INDEX orders_of_buyer ON orders (buyer_id, order_no)",
    // For the buyers who gave up orders of a sale lately or most often. The index has every column
    // that these queries need. The time comes before the buyer, so that new rows go to the end of a
    // range.
    "CREATE INDEX order_events_of_sale ON order_events (sale_id, to_state, from_state, at_ms, "
    "buyer_id)",
};

// The devices from which accounts have logged in. From these a user can log in even while somebody
// else guesses their password.
constexpr std::array<std::string_view, 1> devices{
    // device: a number made of the user and the address, see guard/login_limits.hpp.
    R"(CREATE TABLE known_devices (
        user_id BIGINT NOT NULL,
        device BIGINT NOT NULL,
        until_ms BIGINT NOT NULL,
        PRIMARY KEY (user_id, device)){clustered_end})",
};

// Messages of payment channels, as they came, with what was made of them: message_book.hpp.
constexpr std::array<std::string_view, 1> channel_messages{
    R"(CREATE TABLE payment_messages (
        id {auto_id},
        at_ms BIGINT NOT NULL,
        method VARCHAR(12) NOT NULL,
        verdict VARCHAR(40) NOT NULL,
        order_no BIGINT NOT NULL,
        channel_no VARCHAR(64) NOT NULL,
        raw VARBINARY(8192) NOT NULL){table_end})",
};

// One trade for each way in which a buyer began to pay an order, and refunds with numbers and
// amounts of their own. Before, an order had one payment, which was refunded as a whole.
constexpr std::array<std::string_view, 11> trades_and_refunds{
    // Why the order is being closed; empty: it is not.
    "ALTER TABLE orders ADD COLUMN closing VARCHAR(12) NOT NULL DEFAULT ''",
    "ALTER TABLE orders ADD COLUMN refunded_fen BIGINT NOT NULL DEFAULT 0",
    // How many refunds were asked for, for the number of the next one.
    "ALTER TABLE orders ADD COLUMN refunds BIGINT NOT NULL DEFAULT 0",
    // asked: 1 while the channel is to be asked to close the trade.
    R"(CREATE TABLE trades (
        order_no BIGINT NOT NULL,
        method VARCHAR(12) NOT NULL,
        state VARCHAR(8) NOT NULL,
        amount_fen BIGINT NOT NULL,
        amount_points BIGINT NOT NULL,
        begun_ms BIGINT NOT NULL,
        paid_ms BIGINT NOT NULL,
        asked BIGINT NOT NULL,
        tries BIGINT NOT NULL,
        asked_since_ms BIGINT NOT NULL,
        next_try_ms BIGINT NOT NULL,
        note VARCHAR(200) NOT NULL,
        PRIMARY KEY (order_no, method)){clustered_end})",
    "CREATE INDEX trades_asked ON trades (asked, next_try_ms)",
    R"(CREATE TABLE refunds (
        refund_no VARCHAR(40) NOT NULL PRIMARY KEY,
        order_no BIGINT NOT NULL,
        method VARCHAR(12) NOT NULL,
        amount_fen BIGINT NOT NULL,
        amount_points BIGINT NOT NULL,
        cause VARCHAR(8) NOT NULL,
        reason VARCHAR(200) NOT NULL,
        asked_by BIGINT NOT NULL,
        state VARCHAR(8) NOT NULL,
        asked_since_ms BIGINT NOT NULL,
        done_ms BIGINT NOT NULL,
        tries BIGINT NOT NULL,
        next_try_ms BIGINT NOT NULL,
        note VARCHAR(200) NOT NULL){clustered_end})",
    "CREATE INDEX refunds_of_order ON refunds (order_no)",
    "CREATE INDEX refunds_asked ON refunds (state, next_try_ms)",
    // Money that came late was learnt of when its refund was asked for.
    R"(INSERT INTO trades SELECT p.order_no, p.method,
        CASE WHEN o.state = 'unpaid' THEN 'open'
             WHEN o.state IN ('paid', 'refunding', 'refunded') THEN 'paid'
             WHEN p.question = 'refund' THEN 'extra' ELSE 'closed' END,
        CASE WHEN p.method = 'points' THEN 0 ELSE o.amount_fen END,
        CASE WHEN p.method = 'points' THEN o.amount_points ELSE 0 END,
        p.begun_ms,
        COALESCE((SELECT MIN(e.at_ms) FROM order_events e
                  WHERE e.order_no = p.order_no AND e.to_state = 'paid'),
                 CASE WHEN p.question = 'refund' THEN p.asked_since_ms ELSE 0 END),
        CASE WHEN p.question = 'close' THEN 1 ELSE 0 END,
        p.tries, p.asked_since_ms, p.next_try_ms, p.note
        FROM payments p JOIN orders o ON o.order_no = p.order_no)",
    // The numbers are those that the channels were told before.
    R"(INSERT INTO refunds SELECT REPLACE('#R1', '#', t.order_no), t.order_no, t.method,
        t.amount_fen, t.amount_points,
        CASE WHEN t.state = 'extra' THEN 'late' ELSE 'buyer' END, '', 0,
        CASE WHEN o.state = 'refunded' THEN 'done' ELSE 'asked' END, t.asked_since_ms,
        COALESCE((SELECT MAX(e.at_ms) FROM order_events e
                  WHERE e.order_no = t.order_no AND e.to_state = 'refunded'), 0),
        t.tries, t.next_try_ms, t.note FROM trades t JOIN orders o ON o.order_no = t.order_no
        WHERE o.state IN ('refunding', 'refunded') OR t.state = 'extra')",
    R"(UPDATE orders SET
        closing = COALESCE((SELECT p.cause FROM payments p WHERE p.order_no = orders.order_no
                            AND p.question = 'close'), ''),
        refunds = (SELECT COUNT(*) FROM refunds r WHERE r.order_no = orders.order_no),
        refunded_fen = COALESCE((SELECT r.amount_fen FROM refunds r
                                 WHERE r.order_no = orders.order_no AND r.state = 'done'), 0)
        WHERE order_no IN (SELECT order_no FROM payments))",
    // The table `payments` stays, unused: nodes that start at the same time may still read it.
};

// For the time after the payment: settings of a sale, and what buyers earn.
constexpr std::array<std::string_view, 4> after_sales{
    "ALTER TABLE sales ADD COLUMN resell_refunded BIGINT NOT NULL DEFAULT 1",
    "ALTER TABLE sales ADD COLUMN earns_points BIGINT NOT NULL DEFAULT 0",
    // Points that buyers earn: earning_book.hpp.
    R"(CREATE TABLE earnings (
        order_no {row_id},
        buyer_id BIGINT NOT NULL,
        points BIGINT NOT NULL,
        state VARCHAR(8) NOT NULL,
        paid_ms BIGINT NOT NULL,
        due_ms BIGINT NOT NULL){table_end})",
    "CREATE INDEX earnings_due ON earnings (state, due_ms)",
};

}  // namespace

std::span<const migration> migrations() {
    static const std::array<migration, 16> steps{
        migration{1, first_tables},
        migration{2, deadlines},
        migration{3, whole_lives},
        migration{4, many_nodes},
        migration{5, accountability},
        migration{6, mills},
        migration{7, devices},
        migration{8, channel_messages},
        migration{9, trades_and_refunds},
        migration{10, after_sales},
        migration{11, payment_attempts()},
        migration{12, staff_tables()},
        migration{13, account_tables()},
        migration{14, catalogue_tables()},
        migration{15, feed_tables()},
        migration{16, operations_tables()},
    };
    return steps;
}

}  // namespace floodgate::ledger
