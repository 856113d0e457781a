#include "ledger/move_book.hpp"

#include "ledger/guarded.hpp"
#include "ledger/move_gatherer.hpp"
#include "ledger/order_row.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::size_t method_size_max = 12;  // of payments.method

}  // namespace

move_book::move_book(store::database& db) : move_book(db, gathering{}) {}

move_book::move_book(store::database& db, const gathering& how)
    : db_(db), gatherer_(std::make_unique<move_gatherer>(db, how)) {}

move_book::~move_book() = default;

result<move_outcome> move_book::begin_payment(sale::order_no no, sale::user_id buyer,
                                              const std::string& method, instant now) {
    if (method.empty() || method.size() > method_size_max) return errc::invalid;
    return gatherer_->make({move_kind::begin_payment, no, now, buyer, method});
}

result<move_outcome> move_book::cancel(sale::order_no no, sale::user_id buyer, instant now) {
    return gatherer_->make({move_kind::cancel, no, now, buyer});
}

result<move_outcome> move_book::ask_refund(sale::order_no no, sale::user_id buyer, instant now) {
    return gatherer_->make({move_kind::ask_refund, no, now, buyer});
}

result<move_outcome> move_book::pay(sale::order_no no, instant now) {
    return gatherer_->make({move_kind::pay, no, now});
}

result<move_outcome> move_book::pay_reserved(sale::order_no no, const std::string& method,
                                             instant now) {
    return gatherer_->make({move_kind::pay_reserved, no, now, {}, method});
}

result<known_payment> move_book::find(sale::order_no no) {
    return guarded("moves.find", [&]() -> result<known_payment> {
        const auto c = db_.reader();
        auto rows = c->ask(select_orders("WHERE o.order_no = ?"), no);
        if (!rows.next()) return errc::not_found;
        order_row row = read_order_row(rows);
        return known_payment{std::move(row.order), std::move(row.method)};
    });
}

result<move_outcome> move_book::close(sale::order_no no, instant now) {
    return gatherer_->make({move_kind::close, no, now});
}

result<move_outcome> move_book::finish_refund(sale::order_no no, instant now) {
    return gatherer_->make({move_kind::finish_refund, no, now});
}

result<move_outcome> move_book::refund_late_money(sale::order_no no, instant now) {
    return gatherer_->make({move_kind::refund_late_money, no, now});
}

}  // namespace floodgate::ledger
