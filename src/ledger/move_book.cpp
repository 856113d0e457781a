#include "ledger/move_book.hpp"

#include "ledger/guarded.hpp"
#include "ledger/move_gatherer.hpp"
#include "ledger/order_row.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::size_t method_size_max = 12;  // of trades.method

}  // namespace

move_book::move_book(store::database& db) : move_book(db, gathering{}) {}

move_book::move_book(store::database& db, const gathering& how)
    : db_(db), gatherer_(std::make_unique<move_gatherer>(db, how)) {}

move_book::~move_book() = default;

result<move_outcome> move_book::begin_payment(sale::order_no no, sale::user_id buyer,
                                              const payment& how, instant now) {
    if (how.method.empty() || how.method.size() > method_size_max) return errc::invalid;
    return gatherer_->make({.kind = move_kind::begin_payment,
                            .order = no,
                            .now = now,
                            .buyer = buyer,
                            .method = how.method,
                            .price = how.price});
}

result<move_outcome> move_book::cancel(sale::order_no no, sale::user_id buyer, instant now) {
    return gatherer_->make({.kind = move_kind::cancel, .order = no, .now = now, .buyer = buyer});
}

result<move_outcome> move_book::cancel(sale::order_no no, const audit_note& line, instant now) {
    return gatherer_->make({.kind = move_kind::cancel, .order = no, .now = now, .line = &line});
}

result<move_outcome> move_book::pay_by_hand(sale::order_no no, const audit_note& line,
                                            instant now) {
    return gatherer_->make({.kind = move_kind::pay_by_hand,
                            .order = no,
                            .now = now,
                            .method = manual_method,
                            .line = &line});
}

result<move_outcome> move_book::ask_refund(sale::order_no no, std::optional<sale::user_id> owner,
                                           const refund_wish& wish, instant now) {
    if (wish.reason.size() > refund_reason_bytes_max || wish.amount.value < 0) return errc::invalid;
    return gatherer_->make(
        {.kind = move_kind::ask_refund, .order = no, .now = now, .buyer = owner, .wish = &wish});
}

result<move_outcome> move_book::pay(sale::order_no no, const std::string& method, instant now,
                                    attempt_list calls) {
    return gatherer_->make(
        {.kind = move_kind::pay, .order = no, .now = now, .method = method, .attempts = calls});
}

result<move_outcome> move_book::pay_reserved(sale::order_no no, const std::string& method,
                                             instant now, attempt_list calls) {
    return gatherer_->make({.kind = move_kind::pay_reserved,
                            .order = no,
                            .now = now,
                            .method = method,
                            .attempts = calls});
}

result<known_payment> move_book::find(sale::order_no no) {
    return guarded("moves.find", [&]() -> result<known_payment> {
        const auto c = db_.reader();
        order_row row;
        {  // A server takes no other question before this one is read to its end.
            auto rows = c->ask(select_orders("WHERE o.order_no = ?"), no);
            if (!rows.next()) return errc::not_found;
            row = read_order_row(rows);
        }
        take_trades(*c, {{no, &row}});
        known_payment found{std::move(row.order)};
        for (const trade_row& t : row.trades) found.methods.push_back(t.method);
        if (const trade_row* const paid = row.paid_trade()) found.paid_with = paid->method;
        return found;
    });
}

result<move_outcome> move_book::close(sale::order_no no, const std::string& method, instant now,
                                      attempt_list calls) {
    return gatherer_->make(
        {.kind = move_kind::close, .order = no, .now = now, .method = method, .attempts = calls});
}

result<move_outcome> move_book::finish_refund(sale::order_no no, const std::string& number,
                                              instant now, attempt_list calls) {
    return gatherer_->make({.kind = move_kind::finish_refund,
                            .order = no,
                            .now = now,
                            .refund_number = number,
                            .attempts = calls});
}

result<void> move_book::note(sale::order_no no, attempt_list calls) {
    if (calls.empty()) return {};
    const auto noted =
        gatherer_->make({.kind = move_kind::note, .order = no, .now = {}, .attempts = calls});
    if (!noted) return noted.error();
    return {};
}

result<move_outcome> move_book::settle_refund(sale::order_no no, const std::string& number,
                                              const audit_note& line, instant now) {
    return gatherer_->make({.kind = move_kind::finish_refund,
                            .order = no,
                            .now = now,
                            .refund_number = number,
                            .line = &line});
}

}  // namespace floodgate::ledger
