// For tests of move_book: brings orders into any state and shows the ledger in words.

#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {

inline constexpr const char *method = "test", *other_method = "other";

enum class act : std::uint8_t {
    begin = 1,
    cancel,
    pay,
    pay_other,  // with the other method, which was not begun
    close_due,
    close,
    ask_refund,    // of everything that is left
    finish_refund  // the oldest that is asked for
};
inline constexpr std::array acts{act::begin,     act::cancel, act::pay,        act::pay_other,
                                 act::close_due, act::close,  act::ask_refund, act::finish_refund};
inline const char* to_text(act a) {
    constexpr std::array words{"begin",     "cancel", "pay",        "pay_other",
                               "close_due", "close",  "ask_refund", "finish_refund"};
    return words.at(static_cast<std::size_t>(a) - 1);
}

// What becomes of an order. A call that fails, fails the test; the moment is that of the promise
// unless it is given.
class move_verbs {
public:
    explicit move_verbs(book_verbs& verbs) : verbs_(verbs), moves_(verbs.book().moves()) {}

    // A new order, unpaid.
    sale::promise order(sale::sale_id sale, std::int64_t buyer, std::uint32_t quantity = 1) {
        const auto p = verbs_.promise(sale, buyer, quantity);
        verbs_.enter({p});
        return p;
    }
    sale::order find(const sale::promise& p) {
        return verbs_.book().orders().find(p.order).value();
    }
    instant deadline(const sale::promise& p) { return find(p).pay_by; }
    static sale::price price_of(const sale::promise& p) {
        return {{p.unit_price.value * p.quantity}};
    }

    move_outcome begin(const sale::promise& p, const char* with = method) {
        return moves_.begin_payment(p.order, p.buyer, {with, price_of(p)}, p.at).value();
    }
    move_outcome cancel(const sale::promise& p) {
        return moves_.cancel(p.order, p.buyer, p.at).value();
    }
    move_outcome pay(const sale::promise& p, const char* with = method) {
        return moves_.pay(p.order, with, p.at).value();
    }
    move_outcome close(const sale::promise& p, const char* with = method) {
        return moves_.close(p.order, with, p.at).value();
    }
    move_outcome time_out(const sale::promise& p) { return try_time_out(p).value(); }
    // Everything that is left, unless the wish says otherwise.
    move_outcome ask_refund(const sale::promise& p, const refund_wish& wish = {}) {
        return moves_.ask_refund(p.order, p.buyer, wish, p.at).value();
    }
    // The number of the oldest refund that is asked for; the first one's if there is none.
    result<std::string> oldest_refund(const sale::promise& p) {
        const auto all = refund_book(verbs_.db()).of(p.order);
        if (!all) return all.error();
        for (const refund& r : *all)
            if (!r.is_done()) return r.number;
        return fmt::format("{}R1", p.order.value);
    }
    move_outcome finish_refund(const sale::promise& p) { return try_finish_refund(p).value(); }

    // `state` is any stored state; "begun" or "closing", both of an unpaid order; "part", a paid
    // order of which a part went back; "twice", a paid order whose second payment is to be
    // refunded; or "late", a closed order whose late money is to be refunded.
    sale::promise order_in(std::string_view state, sale::sale_id sale, std::int64_t buyer) {
        if (state == "failed") return order({999}, buyer);
        const auto p = order(sale, buyer);
        const auto done = [&](std::initializer_list<move_outcome> moves) {
            for (const move_outcome& m : moves) EXPECT_TRUE(m.moved) << state;
            return p;
        };
        if (state == "unpaid") return p;
        if (state == "closed") return done({cancel(p)});
        done({begin(p)});
        if (state == "begun") return p;
        if (state == "closing") return done({cancel(p)});
        if (state == "late") return done({cancel(p), close(p), pay(p)});
        done({pay(p)});
        if (state == "paid") return p;
        if (state == "twice") return done({pay(p, other_method)});
        if (state == "part") return done({ask_refund(p, {.amount = {100}}), finish_refund(p)});
        done({ask_refund(p)});
        if (state == "refunding") return p;
        return done({finish_refund(p)});
    }
    static constexpr std::array states{"unpaid",    "begun",    "closing", "paid",
                                       "refunding", "refunded", "closed",  "late",
                                       "failed",    "part",     "twice"};

    // Makes the move, as a caller who is allowed to. close_due is called at the order's deadline.
    result<move_outcome> perform(act a, const sale::promise& p) {
        switch (a) {
        case act::begin: return moves_.begin_payment(p.order, p.buyer, {method, price_of(p)}, p.at);
        case act::cancel: return moves_.cancel(p.order, p.buyer, p.at);
        case act::pay: return moves_.pay(p.order, method, p.at);
        case act::pay_other: return moves_.pay(p.order, other_method, p.at);
        case act::close_due: return try_time_out(p);
        case act::close: return moves_.close(p.order, method, p.at);
        case act::ask_refund: return moves_.ask_refund(p.order, p.buyer, {}, p.at);
        case act::finish_refund: return try_finish_refund(p);
        }
        return errc::invalid;
    }

    // "unpaid", "unpaid closing cancelled", "closed timed_out".
    static std::string shown(const sale::order& o) {
        std::string text = to_text(o.state);
        if (!o.reason.empty()) text += " " + o.reason;
        if (!o.closing.empty()) text += " closing " + o.closing;
        return text;
    }
    // Everything that a move may change, to check that nothing was changed.
    std::string picture() {
        return table(
                   "SELECT order_no, state, reason, closing, refunded_fen, refunds, mark FROM "
                   "orders ORDER BY order_no",
                   7) +
               table(
                   "SELECT order_no, method, state, amount_fen, amount_points, begun_ms, paid_ms, "
                   "asked, tries, asked_since_ms, next_try_ms, note FROM trades ORDER BY order_no, "
                   "method",
                   12) +
               table(
                   "SELECT refund_no, order_no, method, amount_fen, amount_points, cause, reason, "
                   "asked_by, state, asked_since_ms, done_ms, tries, next_try_ms, note FROM "
                   "refunds ORDER BY refund_no",
                   14) +
               table(
                   "SELECT order_no, buyer_id, points, state, paid_ms, due_ms FROM earnings ORDER "
                   "BY order_no",
                   6) +
               table("SELECT id, action FROM audit ORDER BY id", 2) +
               table("SELECT id, stock, held FROM sales ORDER BY id", 3) +
               table("SELECT id, sale_id, held_after, note FROM stock_log ORDER BY id", 4) +
               table("SELECT id, order_no, from_state, to_state FROM order_events ORDER BY id", 4);
    }
    // "other open asked", "test paid": the order's trades, asked if they are to be closed.
    std::vector<std::string> trades(const sale::promise& p) {
        std::vector<std::string> all;
        const auto c = verbs_.db().reader();
        auto rows = c->ask(
            "SELECT method, state, asked FROM trades WHERE order_no = ? ORDER BY method", p.order);
        while (rows.next())
            all.push_back(fmt::format("{} {}{}", rows.get<std::string>(0), rows.get<std::string>(1),
                                      rows.get<std::int64_t>(2) != 0 ? " asked" : ""));
        return all;
    }
    // "1001R1 buyer test 9900 asked": the order's refunds.
    std::vector<std::string> refunds(const sale::promise& p) {
        std::vector<std::string> all;
        for (const refund& r : refund_book(verbs_.db()).of(p.order).value())
            all.push_back(fmt::format("{} {} {} {} {}", r.number, to_text(r.cause), r.method,
                                      r.price.money.value, r.is_done() ? "done" : "asked"));
        return all;
    }
    // "1001 unpaid>closed timed_out": the buyer's mailbox.
    std::vector<std::string> mailbox(std::int64_t buyer, std::int64_t since = 0,
                                     std::size_t max = 100) {
        std::vector<std::string> lines;
        for (const auto& e : moves_.events_of({buyer}, since, max).value())
            lines.push_back(fmt::format("{} {}>{}{}{}", e.order.value, to_text(e.from),
                                        to_text(e.to), e.reason.empty() ? "" : " ", e.reason));
        return lines;
    }
    stock_move last_line(sale::sale_id sale) {
        return verbs_.book().catalogue().stock_log(sale, 1).value().at(0);
    }

private:
    result<move_outcome> try_finish_refund(const sale::promise& p) {
        const auto number = oldest_refund(p);
        if (!number) return number.error();
        return moves_.finish_refund(p.order, *number, p.at);
    }
    result<move_outcome> try_time_out(const sale::promise& p) {
        const auto report = moves_.close_due(p.at + std::chrono::seconds(600), 100);
        if (!report) return report.error();
        for (const auto* found : {&report->closed, &report->closing})
            for (const move_outcome& m : *found)
                if (m.order.no == p.order) return m;
        return move_outcome{find(p)};
    }
    std::string table(const std::string& sql, int columns) {
        const auto c = verbs_.db().reader();
        auto rows = c->ask(sql);
        std::string text;
        while (rows.next()) {
            for (int i = 0; i < columns; ++i) text.append(rows.asked().text(i)).append("|");
            text += "\n";
        }
        return text;
    }

    book_verbs& verbs_;
    move_book& moves_;
};

class MoveTest : public LedgerContractTest {
protected:
    move_book& moves_ = book_.moves();
    move_verbs orders_{verbs_};
    sale::sale_id sale_ = verbs_.add_sale({.stock = 1000});
};

}  // namespace floodgate::ledger
