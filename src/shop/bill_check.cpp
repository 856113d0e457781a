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

using billed_orders = std::map<std::string, billed>;                // by out_trade_no
using known_trades = std::map<std::string, ledger::channel_trade>;  // by the same text

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

disagreement compare(const billed& b, const ledger::channel_trade& t) {
    if (b.paid.value != 0 && b.paid != t.amount)
        return {false, fmt::format("the bill says {} paid, the order is {}", money(b.paid),
                                   money(t.amount))};
    if (b.paid.value != 0 && !t.paid && b.paid != b.refunded)
        return {true, fmt::format("{} paid, but the order is {}, and the money did not go back",
                                  money(b.paid), to_text(t.order))};
    // Refunds of other days are in other bills, so there may be fewer than in the ledger.
    if (b.refunded.value <= t.refunded.value || !t.paid) return {};
    if (t.refunded.value == 0)
        return {true, fmt::format("{} refunded, but the order is {}", money(b.refunded),
                                  to_text(t.order))};
    return {false, fmt::format("the bill says {} refunded, the ledger {}", money(b.refunded),
                               money(t.refunded))};
}

// The refunds of an order may be several, so their sum counts; `at` is the time of the last one.
std::vector<ledger::settlement> summed_up(const std::vector<ledger::settlement>& ours,
                                          instant from) {
    std::map<std::pair<sale::order_no, ledger::money_move>, ledger::settlement> sums;
    for (const ledger::settlement& s : ours) {
        if (s.at < from) continue;
        const auto [sum, is_new] = sums.try_emplace({s.no, s.kind}, s);
        if (!is_new) sum->second.amount.value += s.amount.value;
        sum->second.at = s.at;
    }
    std::vector<ledger::settlement> all;
    all.reserve(sums.size());
    for (const auto& [key, sum] : sums) all.push_back(sum);
    return all;
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
    void compare_theirs(const known_trades& ours) {
        for (const auto& [number, b] : theirs_) {
            const auto trade = ours.find(number);
            if (trade == ours.end()) {
                note(out_.extra, number, b,
                     fmt::format("{} paid, {} refunded, but the ledger has no order of that number "
                                 "that was paid by {}",
                                 money(b.paid), money(b.refunded), q_.channel));
            } else if (auto found = compare(b, trade->second); !found.why.empty()) {
                note(found.is_extra ? out_.extra : out_.different, number, b, std::move(found.why));
            }
        }
    }
    void compare_ours(const std::vector<ledger::settlement>& ours) {
        for (const ledger::settlement& s : ours)
            count_in(out_.ledger, s.kind == ledger::money_move::payment, s.amount);
        for (const ledger::settlement& s : summed_up(ours, out_.days->from + learnt_within))
            look_for(s);
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

    // What the ledger knows must be in the bill.
    void look_for(const ledger::settlement& s) {
        const bool is_payment = s.kind == ledger::money_move::payment;
        std::string number = sale::to_text(s.no);
        const auto there = theirs_.find(number);
        const billed in_bill = there == theirs_.end() ? billed{} : there->second;
        const sale::fen sum = is_payment ? in_bill.paid : in_bill.refunded;
        if (sum.value == 0) {
            billed unseen;
            (is_payment ? unseen.paid : unseen.refunded) = s.amount;
            note(out_.missing, std::move(number), unseen,
                 fmt::format("{} {} at {} (Beijing time), but not in the bill", money(s.amount),
                             is_payment ? "paid" : "refunded", pay::to_beijing_text(s.at)));
        } else if (!is_payment && sum < s.amount) {
            note(out_.different, std::move(number), in_bill,
                 fmt::format("the bill says {} refunded, the ledger {}", money(sum),
                             money(s.amount)));
        }
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
    const auto found = ours.find(both.numbers(), q.channel);
    if (!found) return found.error();
    known_trades known;
    for (const ledger::channel_trade& t : *found) known.emplace(sale::to_text(t.no), t);
    both.compare_theirs(known);
    const auto learnt = ours.between({q.channel, out.days->from, out.days->until});
    if (!learnt) return learnt.error();
    both.compare_ours(*learnt);
    return out;
}

}  // namespace floodgate::shop
