// What a payment channel was asked and what it answered: attempt_book.hpp.

#include <array>

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array<std::string_view, 2> attempts{
    R"(CREATE TABLE payment_attempts (
        id {auto_id},
        order_no BIGINT NOT NULL,
        at_ms BIGINT NOT NULL,
        took_ms BIGINT NOT NULL,
        method VARCHAR(12) NOT NULL,
        refund_no VARCHAR(40) NOT NULL,
        asked VARCHAR(16) NOT NULL,
        outcome VARCHAR(16) NOT NULL,
        answer VARCHAR(120) NOT NULL){table_end})",
    "CREATE INDEX payment_attempts_of_order ON payment_attempts (order_no, id)",
};

}  // namespace

statements payment_attempts() { return attempts; }

}  // namespace floodgate::ledger
