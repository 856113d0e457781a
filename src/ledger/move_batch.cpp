#include "ledger/move_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ledger/move_steps.hpp"
#include "ledger/returned_units.hpp"

namespace floodgate::ledger {
namespace {

// A move that is going to be made.
struct planned {
    const batched_move* of;
    sale::order before;
    move_plan plan;

    bool gives_units_back() const {
        return plan.event && holds_stock(before.state) &&
               !holds_stock(*sale::after(before.state, *plan.event));
    }
    bool pays_with_money() const {
        return plan.event == sale::order_event::paid &&
               std::ranges::any_of(plan.trades, [](const trade_change& t) {
                   return t.state == trade_state::paid && t.price.money.value > 0;
               });
    }
};

class batch_of_moves {
public:
    explicit batch_of_moves(store::connection& c) : book_(c) {}

    bool run(std::span<const batched_move> moves) {
        plan(moves);
        give_units_back();
        const bool noted = write_calls(moves);
        if (planned_.empty()) return noted;
        write_states();
        write_money();
        write_earnings();
        units_->write();
        answer();
        return true;
    }

private:
    void plan(std::span<const batched_move> moves) {
        order_list orders;
        for (const batched_move& m : moves) {
            orders.push_back(m.what->order);
            at_ = std::max(at_, m.what->now);
        }
        std::ranges::sort(orders);
        rows_ = take_orders(book_, orders);
        for (const batched_move& m : moves) {
            const auto found = rows_.find(m.what->order);
            if (found == rows_.end()) {
                *m.answer = errc::not_found;
            } else if (auto* damage = std::get_if<store::sql_error>(&found->second)) {
                *m.answer = apart(*damage);
            } else {
                plan(m, std::get<order_row>(found->second));
            }
        }
    }

    void plan(const batched_move& m, const order_row& row) {
        if (m.what->buyer && row.order.buyer != *m.what->buyer) {
            *m.answer = errc::not_found;
            return;
        }
        try {
            move_plan p = plan_move(row, *m.what);
            *m.answer = move_outcome{.order = row.order, .why_not = p.why_not};
            if (p.moves) planned_.push_back({&m, row.order, std::move(p)});
        } catch (const store::sql_error& damage) {
            *m.answer = apart(damage);
        }
    }

    // Before anything is written, because a move whose sale does not hold its units is left out.
    void give_units_back() {
        std::set<sale::sale_id> sales;
        for (const planned& p : planned_)
            if (p.gives_units_back()) sales.insert(p.before.sale);
        units_.emplace(book_, sales);
        std::erase_if(planned_, [&](const planned& p) {
            if (!p.gives_units_back() || units_->add(p.before, *p.plan.event, p.of->what->now))
                return false;
            *p.of->answer = store::sql_error(
                store::sql_failure::corrupt,
                fmt::format("sale {} does not hold what is given back: order {} {}",
                            p.before.sale.value, p.before.no.value, to_text(*p.plan.event)));
            return true;
        });
    }

    // Also of moves that are not made: the calls were.
    bool write_calls(std::span<const batched_move> moves) {
        std::vector<const payment_attempt*> all;
        for (const batched_move& m : moves)
            for (const payment_attempt& a : m.what->attempts) all.push_back(&a);
        write_attempts(book_, all);
        for (const batched_move& m : moves)
            if (m.what->kind == move_kind::note) trim_attempts(book_, m.what->order);
        return !all.empty();
    }

    void write_states() {
        std::map<state_step, order_list> moved;
        std::map<std::string_view, order_list> closing;
        order_list same;
        for (const planned& p : planned_) {
            if (p.plan.event) {
                moved[{p.before.state, *p.plan.event, method_in(p.plan)}].push_back(p.before.no);
            } else if (!p.plan.closing.empty()) {
                closing[p.plan.closing].push_back(p.before.no);
            } else if (!p.plan.trades.empty() || !p.plan.finishes.empty()) {
                same.push_back(p.before.no);
            }
        }
        for (const auto& [how, orders] : moved) set_states(book_, orders, how, at_);
        for (const auto& [why, orders] : closing) set_closing(book_, orders, why);
        touch_orders(book_, same);
    }

    void write_money() {
        std::vector<changed_trade> trades;
        std::vector<const refund*> asked;
        std::vector<finished_refund> finished;
        for (const planned& p : planned_) {
            const instant now = p.of->what->now;
            for (const trade_change& t : p.plan.trades) trades.push_back({p.before.no, &t, now});
            if (p.plan.asks_refund) asked.push_back(&*p.plan.asks_refund);
            if (p.of->what->wish) write_audit(book_, p.of->what->wish->line);
            if (p.of->what->line) write_audit(book_, *p.of->what->line);
            if (!p.plan.finishes.empty())
                finished.push_back({p.before.no, p.plan.finishes, p.plan.given_back, now});
        }
        write_trades(book_, trades);
        add_refunds(book_, asked);
        finish_refunds(book_, finished);
    }

    void write_earnings() {
        std::vector<paid_order> paid;
        order_list refunded;
        for (const planned& p : planned_) {
            if (p.pays_with_money()) paid.push_back({&p.before, p.of->what->now});
            if (p.plan.event == sale::order_event::refund_done) refunded.push_back(p.before.no);
        }
        add_earnings(book_, paid);
        call_in_earnings(book_, refunded);
    }

    void answer() {
        std::vector<state_change> changes;
        for (const planned& p : planned_) {
            move_outcome& m = p.of->answer->emplace<move_outcome>();
            m.order = order_after(p.before, p.plan, at_);
            m.moved = true;
            m.money = p.plan.money;
            if (!p.plan.event) continue;
            m.at = p.of->what->now;
            if (p.gives_units_back())
                m.withdrawn_at = units_->withdrawn_at(p.before, *p.plan.event);
            changes.push_back({&m, p.before.state});
        }
        write_events(book_, changes);
    }

    store::connection& book_;
    // The times in the orders' rows: that of the latest move, so that moves which share a
    // transaction share a statement too. The events have their own times.
    instant at_{};
    taken_orders rows_;  // the plans refer to them
    std::optional<returned_units> units_;
    std::vector<planned> planned_;
};

}  // namespace

bool make_moves(store::connection& c, std::span<const batched_move> moves) {
    return batch_of_moves(c).run(moves);
}

}  // namespace floodgate::ledger
