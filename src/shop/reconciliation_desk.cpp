#include "shop/reconciliation_desk.hpp"

#include <boost/json/array.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "shop/balance_check.hpp"

namespace floodgate::shop {
namespace {

constexpr std::size_t named_max = 20;  // orders
constexpr const char* repaired = "sale.repaired";

boost::json::array to_json(const std::vector<std::string>& sentences) {
    boost::json::array out;
    for (const std::string& s : sentences) out.push_back(boost::json::string(s));
    return out;
}

}  // namespace

sale::reconciliation reconciliation_desk::latest() const {
    const std::scoped_lock lock(mutex_);
    return latest_;
}

void reconciliation_desk::publish(sale::reconciliation seen) {
    const std::scoped_lock lock(mutex_);
    latest_ = std::move(seen);
}

// Replaces the sale's figures in the latest look. Whether it is a breach stays as it was judged.
void reconciliation_desk::note(sale::balance& seen) {
    const std::scoped_lock lock(mutex_);
    auto& sales = latest_.sales;
    const auto at = std::ranges::lower_bound(sales, seen.sale, {}, &sale::balance::sale);
    if (at == sales.end() || at->sale != seen.sale) {
        sales.insert(at, seen);
        return;
    }
    seen.differences = at->differences;
    seen.wrong_since = at->wrong_since;
    *at = seen;
}

// The gate is read before and after the book: see balance_check.hpp.
result<sale::balance> reconciliation_desk::look_now(sale::sale_id id) {
    const match_world& w = world_.orders;
    const auto before = w.turnstile.look_up(id);
    const auto book = w.book.tallies().take();
    if (!book) return book.error();
    const auto found = std::ranges::find(book->sales, id, &ledger::sale_tally::sale);
    if (found == book->sales.end()) return errc::not_found;
    const auto after = w.turnstile.look_up(id);
    std::optional<gate_views> gate;
    if (before && after) gate = gate_views{*before, *after};
    sale::balance seen = check_balance(*found, gate, w.between.count(*book)).balance;
    auto differences = explain(id);
    if (!differences) return differences.error();
    note(seen);
    seen.differences = std::move(*differences);
    return seen;
}

// A sale that has been over for long is not at the gate: gate_loader.hpp.
result<ledger::findings> reconciliation_desk::explain(sale::sale_id id) {
    const match_world& w = world_.orders;
    auto out = w.book.tallies().explain(id);
    if (!out || !w.turnstile.look_up(id)) return out;
    const auto orders = match_orders(w, id);
    if (!orders) return orders.error();
    const auto named = say(w.book, *orders, named_max);
    out->insert(out->end(), named.begin(), named.end());
    return out;
}

result<ledger::repair_report> reconciliation_desk::repair(sale::sale_id id, const std::string& note,
                                                          const actor& by) {
    const auto before = explain(id);
    if (!before) return before.error();
    ledger::ledger& book = world_.orders.book;
    const instant now = world_.clock.now();
    const std::string subject = subject_of("sale", id.value);
    const auto line = [&](const ledger::repair_report& report) {
        return line_for({by.who, by.address, now},
                        {repaired,
                         subject,
                         {{"differences", to_json(*before)}},
                         {{"done", to_json(report.done)}, {"note", note}}});
    };
    auto report = book.tallies().repair(id, note, now, line);
    if (!report) return report;
    const std::size_t in_book = report->done.size();
    const auto gate = repair_gate(id, *report);
    world_.self.book_repaired();
    world_.self.catalogue_changed();
    log_act(by.who, repaired, subject);
    for (const std::string& what : report->done)
        log::warning("shop.sale_repaired", "sale", id.value, "what", what, "note", note);
    if (!gate) return gate.error();
    if (report->done.size() == in_book) return report;
    if (const auto kept = book.audit().add(line(*report)); !kept) return kept.error();
    return report;
}

result<void> reconciliation_desk::repair_gate(sale::sale_id id, ledger::repair_report& report) {
    const match_world& w = world_.orders;
    if (!w.turnstile.look_up(id)) return {};
    const auto orders = match_orders(w, id);
    if (!orders) return orders.error();
    release_at_gate(w, id, *orders, report);
    adopt_stock(id, report);
    retake_at_gate(w, *orders, report);
    return {};
}

// Between releasing and taking back: a larger stock makes room.
void reconciliation_desk::adopt_stock(sale::sale_id id, ledger::repair_report& report) {
    const auto before = world_.orders.turnstile.look_up(id);
    const auto warmed = world_.catalogue.warm_up(id, {});
    const auto after = world_.orders.turnstile.look_up(id);
    if (!warmed) {
        report.open.push_back(
            fmt::format("sale {}: the gate does not take over the book's stock: {}", id.value,
                        warmed.error().message()));
    } else if (before && after && before->stock != after->stock) {
        report.done.push_back(fmt::format("sale {}: the gate's stock went from {} to {}", id.value,
                                          before->stock, after->stock));
    }
}

}  // namespace floodgate::shop
