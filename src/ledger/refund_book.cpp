#include "ledger/refund_book.hpp"

#include <array>

#include "ledger/guarded.hpp"
#include "ledger/refund_row.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::array causes{refund_cause::buyer, refund_cause::admin, refund_cause::late,
                            refund_cause::twice};

refund_cause to_cause(const std::string& word) {
    for (const refund_cause c : causes)
        if (word == to_text(c)) return c;
    throw store::sql_error(store::sql_failure::corrupt, "a refund has no known cause: " + word);
}

std::vector<refund> refunds_in(store::row_cursor rows) {
    std::vector<refund> all;
    while (rows.next()) all.push_back(read_refund(rows));
    return all;
}

}  // namespace

const char* to_text(refund_cause c) {
    switch (c) {
    case refund_cause::buyer: return "buyer";
    case refund_cause::admin: return "admin";
    case refund_cause::late: return "late";
    case refund_cause::twice: return "twice";
    }
    return "?";
}

std::string select_refunds(std::string_view rest) {
    std::string sql =
        "SELECT r.refund_no, r.order_no, r.method, r.amount_fen, r.amount_points, r.reason, "
        "r.asked_by, r.asked_since_ms, r.done_ms, r.cause, r.state, r.tries, r.note, "
        "r.next_try_ms FROM refunds r ";
    return sql.append(rest);
}

refund read_refund(const store::row_cursor& rows) {
    refund r;
    std::string cause, state;
    rows.read(r.number, r.order, r.method, r.price.money, r.price.in_points, r.reason, r.asked_by,
              r.asked_at, r.done_at, cause, state);
    r.cause = to_cause(cause);
    if (state != refund_is_done) r.done_at = never;
    return r;
}

result<std::vector<refund>> refund_book::of(sale::order_no no) {
    return guarded("refunds.of", [&]() -> result<std::vector<refund>> {
        const auto c = db_.reader();
        return refunds_in(c->ask(
            select_refunds("WHERE r.order_no = ? ORDER BY r.asked_since_ms, r.refund_no"), no));
    });
}

result<std::vector<refund>> refund_book::extra(sale::order_no before, std::size_t max) {
    return guarded("refunds.extra", [&]() -> result<std::vector<refund>> {
        const auto c = db_.reader();
        auto found = refunds_in(
            c->ask(select_refunds("WHERE r.cause IN ('late', 'twice') AND r.order_no < ? "
                                  "ORDER BY r.order_no DESC, r.refund_no LIMIT ?"),
                   before, max + per_order_max));
        found.resize(end_of_order(found, max, [](const refund& r) { return r.order; }));
        return found;
    });
}

result<std::int64_t> refund_book::count_extra(instant since) {
    return guarded("refunds.count_extra", [&]() -> result<std::int64_t> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT COUNT(*) FROM refunds WHERE cause IN ('late', 'twice') AND asked_since_ms >= ?",
            since);
        return rows.next() ? rows.get<std::int64_t>(0) : 0;
    });
}

}  // namespace floodgate::ledger
