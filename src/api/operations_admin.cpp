// Admins' handlers for what the engine watches: open payments, reconciliation, alerts.

#include <boost/json/array.hpp>

#include <limits>
#include <utility>

#include "api/admin_desk.hpp"
#include "api/failure.hpp"
#include "api/json_body.hpp"
#include "api/operations_api.hpp"
#include "api/order_json.hpp"
#include "api/paging.hpp"
#include "sale/order_number.hpp"

namespace floodgate::api {
namespace {

constexpr std::size_t note_bytes_max = 200;
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

boost::json::array to_json(const std::vector<std::string>& sentences) {
    boost::json::array out;
    for (const std::string& s : sentences) out.push_back(boost::json::string(s));
    return out;
}

boost::json::object to_json(const sale::balance& b) {
    boost::json::object out{{"sale_id", b.sale.value},  {"stock", b.stock},
                            {"free", b.free},           {"promised", b.promised},
                            {"unpaid", b.unpaid},       {"paid", b.paid},
                            {"refunding", b.refunding}, {"letters", b.letters},
                            {"off_by", b.off_by()},     {"differences", to_json(b.differences)}};
    if (b.wrong_since != never) out["wrong_since"] = to_iso(b.wrong_since);
    return out;
}

boost::json::object to_json(const ledger::open_question& q) {
    return {{"order", api::to_json(q.order)},
            {"buyer_id", q.order.buyer.value},
            {"method", q.method},
            {"question", q.what == ledger::question::close ? "close" : "refund"},
            {"tries", q.tries},
            {"asked_since", to_iso(q.asked_since)},
            {"note", q.note}};
}

// Writes an audit line for the ledger's part, together with that part and before the gate is
// changed. If the gate was changed too, a second line describes everything.
result<ledger::repair_report> repair_signed(services& with, const call& c,
                                            const sale::balance& before, const std::string& note) {
    std::size_t signed_for = 0;
    const auto line = [&](const ledger::repair_report& report) {
        signed_for = report.done.size();
        return line_for(c, {"sale.repaired",
                            subject_of("sale", before.sale.value),
                            {{"differences", to_json(before.differences)}},
                            {{"done", to_json(report.done)}, {"note", note}}});
    };
    auto repaired = with.clerk.repair(before.sale, note, line);
    if (!repaired) return repaired;
    shop::log_act(c.user, "sale.repaired", subject_of("sale", before.sale.value));
    if (repaired->done.size() == signed_for) return repaired;
    if (const auto kept = with.ledger.audit().add(line(*repaired)); !kept) return kept.error();
    return repaired;
}

}  // namespace

reply list_questions(services& with, const call& c) {
    constexpr page_rule pages{"questions", "after", 500, 50};
    return page_reply(
        c, pages,
        [&](std::int64_t after, std::size_t count) {
            return with.ledger.moves().all_questions({static_cast<std::uint64_t>(after)}, count);
        },
        [](const ledger::open_question& q) { return to_json(q); },
        [](const ledger::open_question& q) { return sale::to_text(q.order.no); });
}

reply get_reconciliation(services& with, const call& c) {
    const sale::reconciliation latest = with.clerk.reconciliation();
    if (latest.at == never)  // the first look comes within a second of the start
        return failure_reply(make_error_code(errc::store_unavailable), c.language);
    boost::json::array sales;
    for (const sale::balance& b : latest.sales) sales.push_back(to_json(b));
    return json_reply(200, {{"at", to_iso(latest.at)}, {"sales", std::move(sales)}});
}

reply reconcile_sale(services& with, const call& c) {
    json_body body(c.body);
    const sale::sale_id id{body.integer("sale_id", {1, most})};
    const bool repair = body.optional_boolean("repair").value_or(false);
    const auto note = body.optional_text("note", {.max = note_bytes_max});
    if (const auto fault = body.finish()) return refuse(*fault, c.language);
    if (repair && note.value_or("").empty())
        return problem_reply(problem::invalid, c.language,
                             {{"detail", "a repair needs a note: why"}, {"field", "note"}});

    const auto before = with.clerk.reconcile(id);
    if (!before) return failure_reply(before.error(), c.language);
    if (!repair) return json_reply(200, {{"balance", to_json(*before)}});
    const auto repaired = repair_signed(with, c, *before, *note);
    if (!repaired) return failure_reply(repaired.error(), c.language);
    const auto after = with.clerk.reconcile(id);
    if (!after) return failure_reply(after.error(), c.language);
    return json_reply(200, {{"balance", to_json(*after)},
                            {"done", to_json(repaired->done)},
                            {"open", to_json(repaired->open)}});
}

reply list_alerts(services& with, const call&) {
    boost::json::array out;
    for (const alarm::alert& a : with.alarms.standing())
        out.push_back(boost::json::object{{"alert", to_text(a.kind)},
                                          {"subject", a.subject},
                                          {"detail", a.detail},
                                          {"since", to_iso(a.since)}});
    return json_reply(200, {{"alerts", std::move(out)}});
}

reply get_order_as_admin(services& with, const call& c) {
    const auto found = with.ledger.orders().find({static_cast<std::uint64_t>(c.ids.at(0))});
    if (!found) return failure_reply(found.error(), c.language);
    return json_reply(200, {{"order", api::to_json(*found)}, {"buyer_id", found->buyer.value}});
}

}  // namespace floodgate::api
