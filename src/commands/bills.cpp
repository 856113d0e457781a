#include "commands/bills.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/or_throw.hpp"
#include "engine/open_ledger.hpp"
#include "ledger/ledger.hpp"
#include "pay/beijing_time.hpp"
#include "pay/yuan.hpp"
#include "sale/order_number.hpp"

namespace floodgate::commands {
namespace {

constexpr auto beijing = std::chrono::hours(8);
constexpr auto day = std::chrono::hours(24);
constexpr auto learnt_within = std::chrono::hours(1);

// What the bill says about one order.
struct billed {
    std::size_t line = 0;  // the first
    sale::fen paid{}, refunded{};
};

using billed_orders = std::map<std::string, billed>;  // by out_trade_no

instant start_of_day(instant t) {
    return std::chrono::floor<std::chrono::days>(t + beijing) - beijing;
}

std::string money(sale::fen amount) { return "¥" + pay::to_yuan(amount); }

billed_orders by_order(const pay::bill& bill, std::vector<std::string>& found) {
    billed_orders all;
    for (const pay::bill_row& row : bill.rows) {
        if (row.out_trade_no.empty()) {
            found.push_back(
                fmt::format("EXTRA line {}: a {} of {} without a number of ours (the "
                            "channel's number is {})",
                            row.line, to_text(row.kind), money(row.amount), row.channel_trade_no));
            continue;
        }
        billed& b = all.try_emplace(row.out_trade_no, billed{.line = row.line}).first->second;
        (row.kind == pay::bill_kind::payment ? b.paid : b.refunded).value += row.amount.value;
    }
    return all;
}

// Empty: the bill and the order agree.
std::string difference(const billed& b, const ledger::channel_trade& t) {
    if (b.paid.value != 0 && b.paid != t.amount)
        return fmt::format("DIFFERENT amount: the bill says {} paid, the order is {}",
                           money(b.paid), money(t.amount));
    if (b.paid.value != 0 && !t.paid && b.paid != b.refunded)
        return fmt::format("EXTRA payment of {}: the order is {}, and the money did not go back",
                           money(b.paid), to_text(t.order));
    // Refunds of other days are in other bills, so there may be fewer than in the ledger.
    if (b.refunded.value > t.refunded.value && t.paid)
        return t.refunded.value == 0
                   ? fmt::format("EXTRA refund of {}: the order is {}", money(b.refunded),
                                 to_text(t.order))
                   : fmt::format("DIFFERENT amount: the bill says {} refunded, the ledger {}",
                                 money(b.refunded), money(t.refunded));
    return {};
}

void compare_theirs(const billed_orders& theirs, const std::string& channel,
                    ledger::settlements& ours, std::vector<std::string>& found) {
    for (const auto& [number, b] : theirs) {
        const auto no = sale::parse_order_no(number);
        const auto trade = no ? ours.find(*no, channel) : errc::not_found;
        if (!trade && trade.error() != errc::not_found)
            throw std::runtime_error("ledger: " + trade.error().message());
        if (!trade) {
            found.push_back(fmt::format(
                "EXTRA order {} (line {}): {} paid, {} refunded, but the ledger has no order of "
                "that number that was paid by {}",
                number, b.line, money(b.paid), money(b.refunded), channel));
        } else if (const std::string fault = difference(b, *trade); !fault.empty()) {
            const std::size_t word = fault.find(' ');
            found.push_back(fmt::format("{} order {} (line {}):{}", fault.substr(0, word), number,
                                        b.line, fault.substr(word)));
        }
    }
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

void compare_ours(const billed_orders& theirs, const std::vector<ledger::settlement>& ours,
                  instant certain_from, std::vector<std::string>& found) {
    for (const ledger::settlement& s : summed_up(ours, certain_from)) {
        const auto there = theirs.find(sale::to_text(s.no));
        const bool is_payment = s.kind == ledger::money_move::payment;
        sale::fen billed_sum{};
        if (there != theirs.end())
            billed_sum = is_payment ? there->second.paid : there->second.refunded;
        if (billed_sum.value == 0)
            found.push_back(
                fmt::format("MISSING order {}: {} {} at {} (Beijing time), but not in the "
                            "bill",
                            s.no.value, money(s.amount), is_payment ? "paid" : "refunded",
                            pay::to_beijing_text(s.at)));
        else if (!is_payment && billed_sum < s.amount)
            found.push_back(
                fmt::format("DIFFERENT order {} (line {}): amount: the bill says {} refunded, the "
                            "ledger {}",
                            s.no.value, there->second.line, money(billed_sum), money(s.amount)));
    }
}

std::string read_bill_file(const std::string& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (error) throw std::runtime_error(path + ": " + error.message());
    if (bytes > pay::bill_limits{}.bytes_max)
        throw std::runtime_error(path + ": too long for a bill");
    std::ifstream in(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad() || !in.is_open()) throw std::runtime_error(path + ": cannot be read");
    return text;
}

}  // namespace

std::vector<std::string> compare_bill(const pay::bill& bill, const std::string& channel,
                                      ledger::settlements& ours) {
    if (!bill.fault.empty()) throw std::runtime_error(bill.fault);
    std::vector<std::string> found;
    if (!bill.is_complete)
        found.emplace_back("INCOMPLETE: the bill has no end, so it may have been cut off");
    if (bill.rows.empty()) return found;
    const auto [first, last] = std::ranges::minmax_element(bill.rows, {}, &pay::bill_row::at);
    const instant from = start_of_day(first->at), until = start_of_day(last->at) + day;
    const billed_orders theirs = by_order(bill, found);
    compare_theirs(theirs, channel, ours, found);
    compare_ours(theirs, or_throw(ours.between({channel, from, until}), "ledger"),
                 from + learnt_within, found);
    return found;
}

std::vector<std::string> check_bill(const engine::settings& s, const bill_options& o) {
    const std::string text = read_bill_file(o.file);
    const pay::bill bill =
        o.channel == "alipay" ? pay::read_alipay_bill(text) : pay::read_wechat_bill(text);
    if (!bill.fault.empty()) throw std::runtime_error(o.file + ": " + bill.fault);
    ledger::ledger book(engine::open_database(s));
    ledger::settlements ours(book.database());
    auto found = compare_bill(bill, o.channel, ours);
    fmt::print("{}: {} payments and refunds of {}\n", o.file, bill.rows.size(), o.channel);
    if (bill.rows.empty())
        fmt::print("it has no rows, so its day is not known and nothing was compared\n");
    return found;
}

}  // namespace floodgate::commands
