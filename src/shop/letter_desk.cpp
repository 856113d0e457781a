#include "shop/letter_desk.hpp"

#include "base/log.hpp"
#include "sale/order_number.hpp"

namespace floodgate::shop {
namespace {

bool is_person(const actor& by) { return by.who.value != 0; }

}  // namespace

const char* outcome_of(const ledger::entry_report& report) {
    return report.refused > 0 ? "refused" : "entered";
}

void letter_desk::settle(const sale::order& decided) const {
    world_.after.settle({.order = decided, .moved = true, .event = 0});
}

// The order is settled as the report has it, which needs no second answer of the ledger. Only an
// order that the ledger had already must be read: it may have moved since it was entered.
result<ledger::entry_report> letter_desk::replay(std::int64_t id, const actor& by) {
    ledger::ledger& book = through(by);
    const auto l = book.letters().find(id);
    if (!l) return l.error();
    const instant now = world_.clock.now();
    const std::string subject = subject_of("letter", id);
    ledger::audit_maker<ledger::entry_report> line;
    if (is_person(by))
        line = [&](const ledger::entry_report& report) {
            return line_for({by.who, by.address, now},
                            {"letter.replayed",
                             subject,
                             {{"order_no", sale::to_text(l->promise.order)}, {"cause", l->cause}},
                             {{"outcome", outcome_of(report)}}});
        };
    auto report = book.letters().replay(id, by.who, now, line);
    if (!report) return report;
    if (is_person(by)) log_act(by.who, "letter.replayed", subject);
    if (report->known == 0) {
        settle(report->orders.front());
    } else if (const auto found = book.orders().find(l->promise.order)) {
        settle(*found);
    } else {
        log::warning("shop.letter_not_told", "letter", id, "reason", found.error().message());
    }
    return report;
}

result<sale::order> letter_desk::discard(std::int64_t id, const std::string& reason,
                                         const actor& by) {
    const instant now = world_.clock.now();
    const act done{"letter.discarded", subject_of("letter", id)};
    auto failed =
        through(by).letters().discard(id, by.who, reason, now, [&](const sale::order& order) {
            act made = done;
            made.after = {{"order_no", sale::to_text(order.no)}, {"reason", reason}};
            return line_for({by.who, by.address, now}, made);
        });
    if (!failed) return failed;
    log_act(by.who, done.action, done.subject);
    settle(*failed);
    return failed;
}

}  // namespace floodgate::shop
