// For tests: an order in memory, to which plans are applied as move_batch.cpp applies them to the
// database.

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "ledger/move_plan.hpp"

namespace floodgate::ledger {

class paper_order {
public:
    explicit paper_order(sale::order o) { row_.order = std::move(o); }

    const order_row& row() const { return row_; }
    const sale::order& order() const { return row_.order; }
    const std::vector<refund>& done() const { return done_; }
    bool is_asked_to_close(const std::string& method) const { return to_close_.contains(method); }

    void apply(const move_plan& plan, instant now) {
        // The plan refers to the row, so what it refers to is changed last.
        row_.order = order_after(row_.order, plan, now);
        for (const trade_change& t : plan.trades)
            if (!t.is_new) change(t, now);
        if (!plan.finishes.empty()) finish(plan.finishes, now);
        for (const trade_change& t : plan.trades)
            if (t.is_new)
                row_.trades.push_back({std::string(t.method), t.state, t.price, paid_at(t, now)});
        if (!plan.asks_refund) return;
        row_.asked.push_back(*plan.asks_refund);
        ++row_.refunds;
    }

    // As move_verbs shows those of the database.
    std::vector<std::string> trades() const {
        std::vector<std::string> all;
        for (const trade_row& t : row_.trades)
            all.push_back(fmt::format("{} {}{}", t.method, to_text(t.state),
                                      is_asked_to_close(t.method) ? " asked" : ""));
        std::ranges::sort(all);
        return all;
    }
    // In order of number.
    std::vector<std::string> refunds() const {
        std::vector<std::string> all;
        for (const auto* some : {&row_.asked, &done_})
            for (const refund& r : *some)
                all.push_back(fmt::format("{} {} {} {} {}", r.number, to_text(r.cause), r.method,
                                          r.price.money.value, r.is_done() ? "done" : "asked"));
        std::ranges::sort(all);
        return all;
    }

private:
    static instant paid_at(const trade_change& t, instant now) {
        return t.state == trade_state::paid || t.state == trade_state::extra ? now : instant{};
    }
    void change(const trade_change& t, instant now) {
        const auto known = std::ranges::find(row_.trades, t.method, &trade_row::method);
        if (t.asks) {
            to_close_.insert(known->method);
            return;
        }
        to_close_.erase(known->method);
        known->state = t.state;
        if (t.state != trade_state::closed) known->paid_at = now;
    }
    void finish(std::string_view number, instant now) {
        const auto asked = std::ranges::find(row_.asked, number, &refund::number);
        done_.push_back(*asked);
        done_.back().done_at = now;
        row_.asked.erase(asked);
    }

    order_row row_;
    std::set<std::string> to_close_;  // the methods whose channels are asked to close their trades
    std::vector<refund> done_;
};

}  // namespace floodgate::ledger
