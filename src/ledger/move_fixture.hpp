// For tests of move_book: brings orders into any state and shows the ledger in words.

#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {

inline constexpr const char* method = "test";

enum class act : std::uint8_t {
    begin = 1,
    cancel,
    pay,
    close_due,
    close,
    ask_refund,
    finish_refund,
    refund_late
};
inline constexpr std::array acts{act::begin, act::cancel,     act::pay,           act::close_due,
                                 act::close, act::ask_refund, act::finish_refund, act::refund_late};
inline const char* to_text(act a) {
    constexpr std::array words{"begin", "cancel",     "pay",           "close_due",
                               "close", "ask_refund", "finish_refund", "refund_late"};
    return words.at(static_cast<std::size_t>(a) - 1);
}

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
    void begin(const sale::promise& p) {
        EXPECT_TRUE(moves_.begin_payment(p.order, p.buyer, method, p.at).value().moved);
    }
    // `state` is any stored state; "begun" or "closing", both of an unpaid order; or "late", a
    // closed order whose late money is to be refunded.
    sale::promise order_in(std::string_view state, sale::sale_id sale, std::int64_t buyer) {
        if (state == "failed") return order({999}, buyer);
        const auto p = order(sale, buyer);
        if (state == "unpaid") return p;
        if (state == "closed") return moved(p, moves_.cancel(p.order, p.buyer, p.at));
        begin(p);
        if (state == "begun") return p;
        if (state == "closing") return moved(p, moves_.cancel(p.order, p.buyer, p.at));
        if (state == "late") {
            moved(p, moves_.cancel(p.order, p.buyer, p.at));
            moved(p, moves_.close(p.order, p.at));
            return moved(p, moves_.refund_late_money(p.order, p.at));
        }
        moved(p, moves_.pay(p.order, p.at));
        if (state == "paid") return p;
        moved(p, moves_.ask_refund(p.order, p.buyer, p.at));
        if (state == "refunding") return p;
        return moved(p, moves_.finish_refund(p.order, p.at));
    }

    // Makes the move, as a caller who is allowed to. close_due is called at the order's deadline.
    result<move_outcome> perform(act a, const sale::promise& p) {
        switch (a) {
        case act::begin: return moves_.begin_payment(p.order, p.buyer, method, p.at);
        case act::cancel: return moves_.cancel(p.order, p.buyer, p.at);
        case act::pay: return moves_.pay(p.order, p.at);
        case act::close_due: return time_out(p);
        case act::close: return moves_.close(p.order, p.at);
        case act::ask_refund: return moves_.ask_refund(p.order, p.buyer, p.at);
        case act::finish_refund: return moves_.finish_refund(p.order, p.at);
        case act::refund_late: return moves_.refund_late_money(p.order, p.at);
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
        return table("SELECT order_no, state, reason, mark FROM orders ORDER BY order_no", 4) +
               table(
                   "SELECT order_no, method, begun_ms, question, cause, tries, asked_since_ms, "
                   "next_try_ms, note FROM payments ORDER BY order_no",
                   9) +
               table("SELECT id, stock, held FROM sales ORDER BY id", 3) +
               table("SELECT id, sale_id, held_after, note FROM stock_log ORDER BY id", 4) +
               table("SELECT id, order_no, from_state, to_state FROM order_events ORDER BY id", 4);
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
    static sale::promise moved(const sale::promise& p, const result<move_outcome>& got) {
        EXPECT_TRUE(got.value().moved);
        return p;
    }
    result<move_outcome> time_out(const sale::promise& p) {
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
