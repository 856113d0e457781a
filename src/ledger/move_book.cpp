#include "ledger/move_book.hpp"

#include <fmt/format.h>

#include <optional>

#include "ledger/guarded.hpp"
#include "ledger/move_steps.hpp"

namespace floodgate::ledger {
namespace {

using sale::order_event;
using store::access;
using store::transaction;

constexpr std::size_t method_size_max = 12;        // of payments.method
constexpr const char* by_hand = "none";            // the method of an order paid without a channel
constexpr std::optional<sale::user_id> whoever{};  // no matter whose order it is

// One order, taken for one move.
struct taken {
    store::connection& book;
    order_row row;
    instant now;

    bool allows(order_event event) const { return sale::after(row.order.state, event).has_value(); }
    bool closing() const { return row.question == asks_close; }
    bool refund_is_asked() const { return row.question == asks_refund; }
    bool gave_its_units_away() const {
        return row.order.state == sale::order_state::closed ||
               row.order.state == sale::order_state::failed;
    }
    move_outcome unmoved() const { return {row.order}; }
    move_outcome moved() const { return {row.order, true}; }
};

// Changes the state, with everything that belongs to it.
move_outcome advance(taken& t, order_event event) {
    const sale::order_state from = t.row.order.state;
    set_state(t.book, t.row.order, event);
    const sale::order& o = t.row.order;
    if (holds_stock(from) && !holds_stock(o.state))
        release(t.book,
                {o.sale, o.quantity, fmt::format("order {} {}", o.no.value, to_text(event))},
                t.now);
    move_outcome out = t.moved();
    write_events(t.book, std::span(&out, 1), from, t.now);
    return out;
}

// The same for a move that also settles the open inquiry.
move_outcome advance_and_settle(taken& t, order_event event) {
    if (t.row.begun()) settle_question_of(t.book, t.row.order.no);
    return advance(t, event);
}

// Locks the order and lets `act` decide. If `act` does not move it, nothing changes.
template <class Act>
result<move_outcome> one_move(store::database& db, sale::order_no no,
                              std::optional<sale::user_id> buyer, instant now, Act act) {
    const auto c = db.writer();
    transaction t(*c, access::write);
    auto row = take_order(*c, no);
    if (!row || (buyer && row->order.buyer != *buyer)) return errc::not_found;
    taken order{*c, std::move(*row), now};
    move_outcome out = act(order);
    if (out.moved) t.commit();
    return out;
}

void remember_channel(taken& t, std::string_view method) {
    t.book.run(
        "INSERT INTO payments (order_no, method, begun_ms, question, cause, tries, "
        "asked_since_ms, next_try_ms, note) VALUES (?, ?, ?, '', '', 0, 0, 0, '')",
        t.row.order.no, method, t.now);
    touch_order(t.book, t.row.order.no);
}

// Why it is being closed. Only these two words are written.
order_event cause_of(const sale::order& o) {
    for (const auto cause : {order_event::timed_out, order_event::cancelled})
        if (o.closing == to_text(cause)) return cause;
    throw store::sql_error(
        store::sql_failure::corrupt,
        fmt::format("order {} is being closed, and nobody knows why", o.no.value));
}

}  // namespace

result<move_outcome> move_book::begin_payment(sale::order_no no, sale::user_id buyer,
                                              const std::string& method, instant now) {
    if (method.empty() || method.size() > method_size_max) return errc::invalid;
    return guarded("moves.begin_payment", [&] {
        return one_move(db_, no, buyer, now, [&](taken& t) {
            const bool other = t.row.begun() && t.row.method != method;
            if (!t.allows(order_event::paid) || t.closing() || now >= t.row.order.pay_by || other)
                return t.unmoved();
            if (!t.row.begun()) remember_channel(t, method);
            return t.moved();
        });
    });
}

result<move_outcome> move_book::cancel(sale::order_no no, sale::user_id buyer, instant now) {
    return guarded("moves.cancel", [&] {
        return one_move(db_, no, buyer, now, [&](taken& t) {
            if (!t.allows(order_event::cancelled) || t.closing()) return t.unmoved();
            if (!t.row.begun()) return advance(t, order_event::cancelled);
            t.row.order.closing = to_text(order_event::cancelled);
            open_question_for(t.book, no, {asks_close, t.row.order.closing}, now);
            return t.moved();
        });
    });
}

result<move_outcome> move_book::ask_refund(sale::order_no no, sale::user_id buyer, instant now) {
    return guarded("moves.ask_refund", [&] {
        return one_move(db_, no, buyer, now, [&](taken& t) {
            if (!t.allows(order_event::refund_asked)) return t.unmoved();
            if (!t.row.begun()) remember_channel(t, by_hand);
            open_question_for(t.book, no, {asks_refund, ""}, now);
            return advance(t, order_event::refund_asked);
        });
    });
}

result<move_outcome> move_book::pay(sale::order_no no, instant now) {
    return guarded("moves.pay", [&] {
        return one_move(db_, no, whoever, now, [](taken& t) {
            if (!t.allows(order_event::paid)) return t.unmoved();
            if (!t.row.begun()) remember_channel(t, by_hand);  // every paid order has a payment
            return advance_and_settle(t, order_event::paid);
        });
    });
}

result<move_outcome> move_book::pay_reserved(sale::order_no no, const std::string& method,
                                             instant now) {
    return guarded("moves.pay_reserved", [&] {
        return one_move(db_, no, whoever, now, [&](taken& t) {
            if (!t.allows(order_event::paid) || t.closing() || t.row.method != method)
                return t.unmoved();
            return advance_and_settle(t, order_event::paid);
        });
    });
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
    return guarded("moves.close", [&] {
        return one_move(db_, no, whoever, now, [](taken& t) {
            if (!t.closing()) return t.unmoved();
            const order_event cause = cause_of(t.row.order);
            if (!t.allows(cause)) return t.unmoved();
            return advance_and_settle(t, cause);
        });
    });
}

result<move_outcome> move_book::finish_refund(sale::order_no no, instant now) {
    return guarded("moves.finish_refund", [&] {
        return one_move(db_, no, whoever, now, [&](taken& t) {
            if (t.gave_its_units_away() && t.refund_is_asked()) {
                settle_question_of(t.book, no);
                touch_order(t.book, no);
                return t.moved();
            }
            if (!t.allows(order_event::refund_done)) return t.unmoved();
            return advance_and_settle(t, order_event::refund_done);
        });
    });
}

result<move_outcome> move_book::refund_late_money(sale::order_no no, instant now) {
    return guarded("moves.refund_late_money", [&] {
        return one_move(db_, no, whoever, now, [&](taken& t) {
            if (!t.gave_its_units_away() || t.refund_is_asked()) return t.unmoved();
            if (!t.row.begun()) remember_channel(t, by_hand);
            open_question_for(t.book, no, {asks_refund, ""}, now);
            return t.moved();
        });
    });
}

}  // namespace floodgate::ledger
