#include "shop/bill_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>

#include "pay/beijing_time.hpp"
#include "pay/yuan.hpp"
#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

constexpr auto beijing = std::chrono::hours(8);
constexpr auto day = std::chrono::hours(24);
constexpr auto learnt_within = std::chrono::hours(1);

// What the bill says about one order.
struct billed {
    std::size_t line = 0;  // the first
    sale::fen paid{}, refunded{};
};

using billed_orders = std::map<std::string, billed>;             // by out_trade_no
using known_orders = std::map<std::string, ledger::paid_order>;  // by the same text

instant start_of_day(instant t) {
    return std::chrono::floor<std::chrono::days>(t + beijing) - beijing;
}

std::string money(sale::fen amount) { return "¥" + pay::to_yuan(amount); }

void count_in(money_sums& sums, bool is_payment, sale::fen amount) {
    ++(is_payment ? sums.payments : sums.refunds);
    (is_payment ? sums.paid : sums.refunded).value += amount.value;
}

bill_days days_of(const pay::bill& bill) {
    const auto [first, last] = std::ranges::minmax_element(bill.rows, {}, &pay::bill_row::at);
    return {start_of_day(first->at), start_of_day(last->at) + day};
}

// What is wrong with an order that both have.
struct disagreement {
    bool is_extra = false;  // otherwise the amounts are different
    std::string why;        // empty: the bill and the order agree
};

disagreement compare(const billed& b, const ledger::paid_order& o) {
    using sale::order_state;
    if (b.paid.value != 0 && b.paid != o.amount)
        return {false, fmt::format("the bill says {} paid, the order is {}", money(b.paid),
                                   money(o.amount))};
    if (b.refunded.value > o.amount.value)
        return {false, fmt::format("the bill says {} refunded, the order is {}", money(b.refunded),
                                   money(o.amount))};
    const bool took_money = o.state == order_state::paid || o.state == order_state::refunding ||
                            o.state == order_state::refunded;
    if (!took_money && b.paid != b.refunded && b.paid.value != 0)
        return {true, fmt::format("{} paid, but the order is {}, and the money did not go back",
                                  money(b.paid), to_text(o.state))};
    if (o.state == order_state::paid && b.refunded.value != 0)
        return {true, fmt::format("{} refunded, but the order is paid", money(b.refunded))};
    if (o.state == order_state::refunded && b.refunded.value != 0 && b.refunded != o.amount)
        return {false, fmt::format("the bill says {} refunded, the ledger {}", money(b.refunded),
                                   money(o.amount))};
    return {};
}

// One comparison, on its way.
class bill_comparison {
public:
    bill_comparison(const bill_question& q, bill_report& out) : q_(q), out_(out) {}

    void take_bill(const pay::bill& bill) {
        for (const pay::bill_row& row : bill.rows) take_row(row);
    }
    // Those numbers of the bill that may be ours.
    std::vector<sale::order_no> numbers() const {
        std::vector<sale::order_no> all;
        for (const auto& [number, b] : theirs_)
            if (const auto no = sale::parse_order_no(number)) all.push_back(*no);
        return all;
    }
    void compare_theirs(const known_orders& ours) {
        for (const auto& [number, b] : theirs_) {
            const auto order = ours.find(number);
            if (order == ours.end() || order->second.method != q_.channel) {
                note(out_.extra, number, b,
                     fmt::format("{} paid, {} refunded, but the ledger has no order of that number "
                                 "that was paid by {}",
                                 money(b.paid), money(b.refunded), q_.channel));
            } else if (auto found = compare(b, order->second); !found.why.empty()) {
                note(found.is_extra ? out_.extra : out_.different, number, b, std::move(found.why));
            }
        }
    }
    void compare_ours(const std::vector<ledger::settlement>& ours) {
        for (const ledger::settlement& s : ours) take_ours(s);
    }

private:
    void take_row(const pay::bill_row& row) {
        const bool is_payment = row.kind == pay::bill_kind::payment;
        count_in(out_.bill, is_payment, row.amount);
        if (!row.out_trade_no.empty()) {
            billed& b =
                theirs_.try_emplace(row.out_trade_no, billed{.line = row.line}).first->second;
            (is_payment ? b.paid : b.refunded).value += row.amount.value;
            return;
        }
        billed nameless{.line = row.line};
        (is_payment ? nameless.paid : nameless.refunded) = row.amount;
        note(out_.extra, "", nameless,
             fmt::format("a {} of {} without a number of ours (the channel's number is {})",
                         to_text(row.kind), money(row.amount), row.channel_trade_no));
    }

    void take_ours(const ledger::settlement& s) {
        const bool is_payment = s.kind == ledger::money_move::payment;
        count_in(out_.ledger, is_payment, s.amount);
        std::string number = sale::to_text(s.no);
        const auto there = theirs_.find(number);
        if (there != theirs_.end() &&
            (is_payment ? there->second.paid : there->second.refunded).value != 0)
            return;
        if (s.at < out_.days->from + learnt_within) return;
        billed unseen;
        (is_payment ? unseen.paid : unseen.refunded) = s.amount;
        note(out_.missing, std::move(number), unseen,
             fmt::format("{} {} at {} (Beijing time), but not in the bill", money(s.amount),
                         is_payment ? "paid" : "refunded", pay::to_beijing_text(s.at)));
    }

    void note(bill_findings& to, std::string order_no, const billed& b, std::string why) {
        if (++to.count > q_.named_max) return;
        to.named.push_back({std::move(order_no), b.line, b.paid, b.refunded, std::move(why)});
    }

    const bill_question& q_;
    bill_report& out_;
    billed_orders theirs_;
};

}  // namespace

result<bill_report> check_bill(const pay::bill& bill, const bill_question& q,
                               ledger::settlements& ours) {
    assert(bill.fault.empty());
    bill_report out{.is_complete = bill.is_complete};
    if (bill.rows.empty()) return out;
    out.days = days_of(bill);
    bill_comparison both(q, out);
    both.take_bill(bill);
    const auto found = ours.find(both.numbers());
    if (!found) return found.error();
    known_orders known;
    for (const ledger::paid_order& o : *found) known.emplace(sale::to_text(o.no), o);
    both.compare_theirs(known);
    const auto learnt = ours.between({q.channel, out.days->from, out.days->until});
    if (!learnt) return learnt.error();
    both.compare_ours(*learnt);
    return out;
}

}  // namespace floodgate::shop
