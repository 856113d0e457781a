#include "ledger/attempt_book.hpp"

#include <algorithm>

#include "ledger/guarded.hpp"
#include "store/sql/insert_rows.hpp"

namespace floodgate::ledger {
namespace {

constexpr store::insert_shape attempts_shape{
    "payment_attempts (order_no, at_ms, took_ms, method, refund_no, asked, outcome, answer)", 8};
constexpr std::size_t method_bytes_max = 12;
constexpr std::size_t refund_no_bytes_max = 40;
constexpr std::size_t word_bytes_max = 16;

void make_plain(std::string& text, std::size_t bytes_max) {
    if (text.size() > bytes_max) text.resize(bytes_max);
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
}

// As it fits into its row. A bound text must outlive its statement, so these are copies.
payment_attempt fitting(payment_attempt a) {
    make_plain(a.method, method_bytes_max);
    make_plain(a.refund_no, refund_no_bytes_max);
    make_plain(a.asked, word_bytes_max);
    make_plain(a.outcome, word_bytes_max);
    make_plain(a.answer, attempt_book::answer_bytes_max);
    return a;
}

}  // namespace

void write_attempts(store::connection& c, std::span<const payment_attempt* const> all) {
    std::vector<payment_attempt> rows;
    rows.reserve(all.size());
    for (const payment_attempt* a : all) rows.push_back(fitting(*a));
    store::insert_rows(
        c, attempts_shape, std::span<const payment_attempt>(rows),
        [](store::statement& s, int before, const payment_attempt& a) {
            store::bind_after(s, before, a.order, a.at, a.took.count(), std::string_view(a.method),
                              std::string_view(a.refund_no), std::string_view(a.asked),
                              std::string_view(a.outcome), std::string_view(a.answer));
        },
        [](auto) {
            throw store::sql_error(store::sql_failure::corrupt, "an attempt's id is taken");
        });
}

// Two statements, because MySQL does not let a DELETE read its own table.
void trim_attempts(store::connection& c, sale::order_no no) {
    std::int64_t oldest_kept = 0;
    {
        auto rows = c.ask(
            "SELECT id FROM payment_attempts WHERE order_no = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
            no, attempt_book::kept_of_order - 1);
        if (!rows.next()) return;
        oldest_kept = rows.get<std::int64_t>(0);
    }
    c.run("DELETE FROM payment_attempts WHERE order_no = ? AND id < ?", no, oldest_kept);
}

result<std::vector<payment_attempt>> attempt_book::of_order(sale::order_no no) {
    return guarded("attempts.of_order", [&]() -> result<std::vector<payment_attempt>> {
        const auto c = db_.reader();
        auto rows = c->ask(
            "SELECT id, order_no, at_ms, method, refund_no, asked, outcome, answer, took_ms "
            "FROM payment_attempts WHERE order_no = ? ORDER BY id",
            no);
        std::vector<payment_attempt> all;
        while (rows.next()) {
            payment_attempt& a = all.emplace_back();
            rows.read(a.id, a.order, a.at, a.method, a.refund_no, a.asked, a.outcome, a.answer);
            a.took = milliseconds(rows.get<std::int64_t>(8));
        }
        return all;
    });
}

}  // namespace floodgate::ledger
