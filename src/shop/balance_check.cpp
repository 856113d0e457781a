#include "shop/balance_check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace floodgate::shop {
namespace {

constexpr int looks_needed = 3;
constexpr milliseconds in_flight{600};

std::string say_book(const ledger::sale_tally& b) {
    return fmt::format(
        "sale {}: the book does not add up: stock {}, held {}; its orders hold {}, its log ends at "
        "stock {}, held {}",
        b.sale.value, b.stock, b.held, b.counted(), b.log_stock, b.log_held);
}

sale::balance balance_of(const ledger::sale_tally& b) {
    sale::balance out{.sale = b.sale, .stock = b.stock};
    out.promised = b.letters;
    out.unpaid = b.unpaid;
    out.paid = b.paid;
    out.refunding = b.refunding;
    out.letters = b.letters;
    out.free = b.stock - b.counted() - b.letters;
    return out;
}

void note(balance_check& w, mismatch what, std::string sentence) {
    if (w.what != mismatch::none) return;
    w.what = what;
    w.sentence = std::move(sentence);
}

void check_gate(balance_check& w, const ledger::sale_tally& b, const gate_views& g,
                std::uint64_t not_entered) {
    const std::int64_t least = g.before.given - g.after.returned;
    const std::int64_t most = g.after.given - g.before.returned;
    const std::int64_t held = b.counted() + b.letters;
    const std::int64_t on_their_way = static_cast<std::int64_t>(not_entered) * g.after.largest;
    // Of the numbers that the gate may have held, take the one that fits the ledger best.
    const std::int64_t taken =
        std::clamp(std::clamp(g.after.taken, held, held + on_their_way), least, most);
    const std::int64_t promised = std::clamp<std::int64_t>(taken - held, 0, on_their_way);

    const auto [least_stock, most_stock] = std::minmax(g.before.stock, g.after.stock);
    const bool same_total = b.stock >= least_stock && b.stock <= most_stock;
    // Units that the ledger has withdrawn and that are not released yet are still held here.
    const std::int64_t withdrawn = std::max<std::int64_t>(least_stock - b.stock, 0);
    const bool still_held = withdrawn > 0 && most - held >= withdrawn;
    w.balance.free = (same_total ? b.stock : g.after.stock) - taken;
    w.balance.promised = b.letters + promised;
    w.returned = g.after.returned;
    w.units = taken - held - promised;
    if (still_held) w.units = std::max(w.units, withdrawn);
    if (!same_total && !still_held)
        note(w, mismatch::stock,
             fmt::format("sale {}: the gate has {} units in total, the book {}", b.sale.value,
                         g.after.stock, b.stock));
    if (w.units < 0)
        note(w, mismatch::fewer,
             fmt::format("sale {}: the gate holds {} units, the book {}", b.sale.value, taken,
                         held));
    if (w.units > 0)
        note(w, mismatch::more,
             fmt::format("sale {}: the gate holds {} units, the book {}, and at most {} are in the "
                         "line",
                         b.sale.value, taken, held, on_their_way));
    w.units = std::abs(w.units);
}

}  // namespace

balance_check check_balance(const ledger::sale_tally& book, const std::optional<gate_views>& gate,
                            std::uint64_t not_entered) {
    balance_check w{.balance = balance_of(book)};
    if (!book.adds_up()) note(w, mismatch::book, say_book(book));
    if (gate) check_gate(w, book, *gate, not_entered);
    return w;
}

void mismatch_watch::look(const balance_check& w, instant now) {
    if (w.what == mismatch::none) {
        looks_ = 0;
        if (breached_ && ++agreed_ >= looks_needed) breached_ = false;
        return;
    }
    agreed_ = 0;
    if (breached_) return;
    if (!goes_on(w, now)) {
        what_ = w.what;
        since_ = now;
        looks_ = 0;
        units_ = w.units;
        returned_ = w.returned;
    }
    ++looks_;
    breached_ = looks_ >= looks_needed && now - since_ >= in_flight;
}

bool mismatch_watch::goes_on(const balance_check& w, instant now) const {
    if (looks_ == 0 || w.what != what_ || now < since_) return false;
    return w.what != mismatch::more || w.returned - returned_ < units_;
}

}  // namespace floodgate::shop
