// The admins' handler for the daily bill of a payment channel.

#include <boost/json/array.hpp>

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/operations_api.hpp"
#include "guard/addresses.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t named_max = 1000;  // of each kind of finding

boost::json::object to_json(const shop::money_sums& sums) {
    return {{"payments", sums.payments},
            {"paid_fen", sums.paid.value},
            {"refunds", sums.refunds},
            {"refunded_fen", sums.refunded.value}};
}

boost::json::object to_json(const shop::bill_findings& found) {
    boost::json::array named;
    for (const shop::bill_finding& f : found.named) {
        boost::json::object one{
            {"paid_fen", f.paid.value}, {"refunded_fen", f.refunded.value}, {"detail", f.why}};
        if (!f.order_no.empty()) one["order_no"] = f.order_no;
        if (f.line != 0) one["line"] = f.line;
        named.push_back(std::move(one));
    }
    return {{"count", found.count}, {"named", std::move(named)}};
}

boost::json::object to_json(const shop::bill_report& r) {
    boost::json::object out{{"complete", r.is_complete},
                            {"agrees", r.agrees()},
                            {"lines", r.bill.payments + r.bill.refunds},
                            {"bill", to_json(r.bill)},
                            {"ledger", to_json(r.ledger)},
                            {"missing", to_json(r.missing)},
                            {"extra", to_json(r.extra)},
                            {"different", to_json(r.different)}};
    if (r.days) {
        out["from"] = to_iso(r.days->from);
        out["until"] = to_iso(r.days->until);
    }
    return out;
}

reply bad_bill(const shop::checked_bill& done, language lang) {
    boost::json::object extra{{"detail", done.fault}};
    if (done.fault_line != 0) extra["line"] = done.fault_line;
    return problem_reply(problem::invalid, lang, std::move(extra));
}

}  // namespace

reply check_bill(services& with, const call& c) {
    const std::string channel = query_value(c, "channel").value_or("");
    if (!pay::has_bills(channel))
        return problem_reply(problem::bad_request, c.language,
                             {{"detail", "channel must be alipay or wechat: whose bill it is"},
                              {"field", "channel"}});
    if (c.body.empty())
        return problem_reply(problem::bad_request, c.language,
                             {{"detail", "the body must be the bill, a CSV file"}});
    const auto done = with.bills.check(c.body, {channel, named_max},
                                       {c.user, guard::prefix_text(c.client), c.now});
    if (!done) return failure_reply(done.error(), c.language);
    if (!done->fault.empty()) return bad_bill(*done, c.language);
    boost::json::object out = to_json(done->report);
    out["channel"] = channel;
    return json_reply(200, out);
}

}  // namespace floodgate::api
