#include "shop/bill_desk.hpp"

#include "base/iso_time.hpp"

namespace floodgate::shop {
namespace {

constexpr const char* checked = "bill.checked";

boost::json::object summary(const bill_report& r) {
    boost::json::object out{{"payments", r.bill.payments}, {"refunds", r.bill.refunds},
                            {"complete", r.is_complete},   {"missing", r.missing.count},
                            {"extra", r.extra.count},      {"different", r.different.count}};
    if (r.days) {
        out["from"] = to_iso(r.days->from);
        out["until"] = to_iso(r.days->until);
    }
    return out;
}

}  // namespace

result<checked_bill> bill_desk::check(std::string_view file, const bill_question& q,
                                      const signature& by) {
    const std::unique_lock only(one_at_a_time_, std::try_to_lock);
    if (!only) return errc::overloaded;
    pay::bill bill = pay::read_bill(q.channel, file);
    if (!bill.fault.empty()) return checked_bill{std::move(bill.fault), bill.fault_line};
    ledger::settlements ours(book_.database());
    auto report = check_bill(bill, q, ours);
    if (!report) return report.error();
    const auto kept = book_.audit().add(line_for(by, {checked, q.channel, {}, summary(*report)}));
    if (!kept) return kept.error();
    log_act(by.who, checked, q.channel);
    return checked_bill{.report = std::move(*report)};
}

}  // namespace floodgate::shop
