#include "shop/switchboard.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

namespace floodgate::shop {
namespace {

void log_positions(const ledger::switches& s) {
    const auto said = [](bool on) { return on ? "on" : "off"; };
    log::warning("shop.switches", "logins", said(s.logins), "registration", said(s.registration),
                 "refunds", said(s.refunds), "sales", said(s.sales), "reason", s.reason);
}

}  // namespace

ledger::switches switchboard::seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
}

void switchboard::take_over(const ledger::switches& s) {
    const auto off =
        static_cast<bits>((s.logins ? 0 : logins_bit) | (s.registration ? 0 : registration_bit) |
                          (s.refunds ? 0 : refunds_bit) | (s.sales ? 0 : sales_bit));
    const bits before = off_.exchange(off, std::memory_order_relaxed);
    if (before != off) log_positions(s);
    const std::lock_guard lock(mutex_);
    seen_ = s;
}

result<ledger::switches> switchboard::change(
    const ledger::switch_change& to,
    const ledger::audit_maker<ledger::switch_book::changed>& line) {
    const std::lock_guard lock(acting_);
    auto now = book_.change(to, line);
    if (now) take_over(*now);
    return now;
}

result<void> switchboard::look() {
    const std::lock_guard lock(acting_);
    const auto now = book_.read();
    if (!now) return now.error();
    take_over(*now);
    return {};
}

}  // namespace floodgate::shop
