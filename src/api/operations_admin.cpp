// Admins' handlers for what the engine watches: open payments, reconciliation, alerts.

#include <boost/json/array.hpp>

#include <fmt/format.h>

#include <iterator>
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

boost::json::object to_json(const ledger::refund& r) {
    boost::json::object out{{"refund_no", r.number},
                            {"order_no", sale::to_text(r.order)},
                            {"method", r.method},
                            {"amount_fen", r.price.money.value},
                            {"amount_points", r.price.in_points.value},
                            {"cause", ledger::to_text(r.cause)},
                            {"reason", r.reason},
                            {"asked_at", to_iso(r.asked_at)}};
    if (r.asked_by.value != 0) out["asked_by"] = r.asked_by.value;
    if (r.is_done()) out["done_at"] = to_iso(r.done_at);
    return out;
}

boost::json::object to_json(const ledger::open_question& q, const sale_labels& labels) {
    boost::json::object out{{"order", api::to_json(q.order, labels)},
                            {"buyer_id", q.order.buyer.value},
                            {"method", q.method},
                            {"question", q.what == ledger::question::close ? "close" : "refund"},
                            {"tries", q.tries},
                            {"asked_since", to_iso(q.asked_since)},
                            {"note", q.note}};
    if (q.what == ledger::question::refund) out["refund"] = to_json(q.refund);
    return out;
}

// Whatever came; a page of JSON must be UTF-8.
std::string as_ascii(std::string_view raw) {
    std::string out;
    out.reserve(raw.size());
    for (const char c : raw) {
        const auto code = static_cast<unsigned char>(c);
        if (code >= ' ' && code < 0x7f && c != '\\')
            out += c;
        else
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
    }
    return out;
}

boost::json::object to_json(const ledger::channel_message& m) {
    boost::json::object out{
        {"id", m.id},           {"at", to_iso(m.at)},         {"method", m.method},
        {"verdict", m.verdict}, {"channel_no", m.channel_no}, {"raw", as_ascii(m.raw)}};
    if (m.order.value != 0) out["order_no"] = sale::to_text(m.order);
    return out;
}

boost::json::object to_json(const ledger::payment_attempt& a) {
    boost::json::object out{{"at", to_iso(a.at)},   {"took_ms", a.took.count()},
                            {"method", a.method},   {"asked", a.asked},
                            {"outcome", a.outcome}, {"answer", a.answer}};
    if (!a.refund_no.empty()) out["refund_no"] = a.refund_no;
    return out;
}

}  // namespace

reply list_questions(services& with, const call& c) {
    constexpr page_rule pages{"questions", "after", 500, 50};
    const auto labels = with.showcase.labels();
    return page_of_orders(
        c, pages,
        [&](std::int64_t after, std::size_t count) {
            return with.ledger.moves().all_questions({static_cast<std::uint64_t>(after)}, count);
        },
        [&](const ledger::open_question& q) { return to_json(q, *labels); },
        [](const ledger::open_question& q) { return q.order.no; });
}

reply list_extra_money(services& with, const call& c) {
    constexpr page_rule pages{"refunds", "before", 500, 50};
    return page_of_orders(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            const auto from = static_cast<std::uint64_t>(before > 0 ? before : most);
            return with.ledger.refunds().extra({from}, count);
        },
        [](const ledger::refund& r) { return to_json(r); },
        [](const ledger::refund& r) { return r.order; });
}

reply list_messages(services& with, const call& c) {
    constexpr page_rule pages{"messages", "before", 100, 20};
    return page_reply(
        c, pages,
        [&](std::int64_t before, std::size_t count) {
            return with.ledger.messages().list(before, count);
        },
        [](const ledger::channel_message& m) { return to_json(m); },
        [](const ledger::channel_message& m) { return m.id; });
}

reply list_attempts(services& with, const call& c) {
    const auto order = with.ledger.orders().find({static_cast<std::uint64_t>(c.ids.at(0))});
    if (!order) return failure_reply(order.error(), c.language);
    const auto made = with.ledger.attempts().of_order(order->no);
    if (!made) return failure_reply(made.error(), c.language);
    boost::json::array shown;
    for (const ledger::payment_attempt& a : *made) shown.push_back(to_json(a));
    return json_reply(200, {{"attempts", std::move(shown)}});
}

reply get_reconciliation(services& with, const call& c) {
    const sale::reconciliation latest = with.reconciliation.latest();
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

    ledger::repair_report repaired;
    if (repair) {
        auto done = with.reconciliation.repair(id, *note, admin_of(c));
        if (!done) return failure_reply(done.error(), c.language);
        repaired = *std::move(done);
    }
    const auto seen = with.reconciliation.look_now(id);
    if (!seen) return failure_reply(seen.error(), c.language);
    if (!repair) return json_reply(200, {{"balance", to_json(*seen)}});
    return json_reply(200, {{"balance", to_json(*seen)},
                            {"done", to_json(repaired.done)},
                            {"open", to_json(repaired.open)}});
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
    const auto refunds = with.ledger.refunds().of(found->no);
    if (!refunds) return failure_reply(refunds.error(), c.language);
    boost::json::array shown;
    for (const ledger::refund& r : *refunds) shown.push_back(to_json(r));
    return json_reply(200, {{"order", api::to_json(*found, with.showcase)},
                            {"buyer_id", found->buyer.value},
                            {"refunds", std::move(shown)}});
}

}  // namespace floodgate::api
