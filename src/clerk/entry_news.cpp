#include "clerk/entry_news.hpp"

#include <map>

namespace floodgate::clerk {
namespace {

sale::order order_of(const sale::promise& p, milliseconds pay_within) {
    sale::order o;
    o.no = p.order;
    o.sale = p.sale;
    o.buyer = p.buyer;
    o.quantity = p.quantity;
    o.amount = {p.unit_price.value * p.quantity};
    o.amount_points = {p.unit_points.value * p.quantity};
    o.state = sale::order_state::unpaid;
    o.created_at = p.at;
    o.pay_by = p.at + pay_within;
    return o;
}

}  // namespace

void append_news(std::span<const sale::promise> promises, const ledger::entry_report& report,
                 std::vector<sale::order_news>& out) {
    std::map<sale::order_no, const std::string*> refused;  // usually empty
    for (const ledger::refusal& r : report.refused) refused[r.promise.order] = &r.reason;

    out.reserve(out.size() + promises.size());
    auto terms = report.pay_within.end();  // of the sale of the promise before: often the same
    for (const sale::promise& p : promises) {
        if (terms == report.pay_within.end() || terms->first != p.sale)
            terms = report.pay_within.find(p.sale);
        const bool known_sale = terms != report.pay_within.end();
        sale::order o = order_of(p, known_sale ? terms->second : milliseconds(0));
        if (const auto why = refused.find(p.order); why != refused.end()) {
            o.state = sale::order_state::failed;
            o.reason = *why->second;
        }
        out.push_back({std::move(o), 0});
    }
}

}  // namespace floodgate::clerk
