// The part of move_book that closes orders not paid in time, many in one transaction.

#include "ledger/guarded.hpp"
#include "ledger/move_steps.hpp"
#include "ledger/returned_units.hpp"

namespace floodgate::ledger {
namespace {

using sale::order_event;

// In the order of the index orders_due. A sale that does not even hold the units of one order needs
// a repair; until then its orders are left out, so that they do not hold up the others. So are
// orders with a trade that an unpaid order cannot have: nobody knows whether money came.
std::string select_due() {
    return select_orders(
        "WHERE o.state = 'unpaid' AND o.pay_by_ms <= ? AND o.closing = '' "
        "AND EXISTS (SELECT 1 FROM sales s WHERE s.id = o.sale_id AND s.held >= o.quantity) "
        "AND NOT EXISTS (SELECT 1 FROM trades t WHERE t.order_no = o.order_no "
        "AND t.state NOT IN ('open', 'closed')) "
        "ORDER BY o.pay_by_ms, o.order_no LIMIT ?");
}

// Asked before the writer's connection is taken: usually nothing is due, and the clerk wants to
// write.
bool any_due(store::connection& c, instant now) { return c.ask(select_due(), now, 1).next(); }

std::vector<order_row> take_due(store::connection& c, instant now, std::size_t max) {
    auto rows = c.ask(select_due().append(c.speaks().for_update), now, max);
    std::vector<order_row> due;
    while (rows.next()) due.push_back(read_order_row(rows));
    rows_by_order by_number;
    for (order_row& r : due) by_number.emplace(r.order.no, &r);
    take_trades(c, by_number);
    return due;
}

order_list numbers_of(const std::vector<move_outcome>& moves) {
    order_list all;
    all.reserve(moves.size());
    for (const move_outcome& m : moves) all.push_back(m.order.no);
    return all;
}

class round_of_closing {
public:
    round_of_closing(store::connection& c, instant now) : book_(c), now_(now) {}

    due_report run(std::size_t max) {
        const std::vector<order_row> due = take_due(book_, now_, max);
        report_.found = due.size();
        std::set<sale::sale_id> sales;
        for (const order_row& r : due)
            if (!r.has_open_trade()) sales.insert(r.order.sale);
        returned_units units(book_, sales);
        std::vector<move_plan> plans;
        plans.reserve(due.size());  // the changed trades refer to them
        for (const order_row& r : due) {
            plans.push_back(plan_time_out(r));
            add(r, plans.back(), units);
        }
        write(units);
        return std::move(report_);
    }

private:
    void add(const order_row& r, const move_plan& plan, returned_units& units) {
        const sale::order& o = r.order;
        if (!plan.event) {
            report_.closing.push_back({order_after(o, plan, now_), true});
            for (const trade_change& t : plan.trades) asked_.push_back({o.no, &t, now_});
        } else if (units.add(o, *plan.event, now_)) {
            report_.closed.push_back({order_after(o, plan, now_), true, 0, now_});
        }
    }

    void write(returned_units& units) {
        set_closing(book_, numbers_of(report_.closing), to_text(order_event::timed_out));
        write_trades(book_, asked_);
        set_states(book_, numbers_of(report_.closed),
                   {sale::order_state::unpaid, order_event::timed_out}, now_);
        units.write();
        std::vector<state_change> changes;
        changes.reserve(report_.closed.size());
        for (move_outcome& m : report_.closed) changes.push_back({&m, sale::order_state::unpaid});
        write_events(book_, changes);
    }

    store::connection& book_;
    const instant now_;
    std::vector<changed_trade> asked_;
    due_report report_;
};

}  // namespace

result<due_report> move_book::close_due(instant now, std::size_t max) {
    return guarded("moves.close_due", [&]() -> result<due_report> {
        if (!any_due(*db_.reader(), now)) return due_report{};
        const auto c = db_.writer();
        store::transaction t(*c, store::access::write);
        due_report report = round_of_closing(*c, now).run(max);
        t.commit();
        return report;
    });
}

}  // namespace floodgate::ledger
