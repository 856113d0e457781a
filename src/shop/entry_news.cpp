#include "shop/entry_news.hpp"

#include <algorithm>
#include <map>

namespace floodgate::shop {
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
        const milliseconds pay_within = known_sale ? terms->second : milliseconds(0);
        sale::order o = sale::order_from(p);
        o.state = sale::order_state::unpaid;
        o.pay_by = std::max(p.at, report.pay_from) + pay_within;
        if (const auto why = refused.find(p.order); why != refused.end()) {
            o.state = sale::order_state::failed;
            o.reason = *why->second;
        }
        out.push_back({std::move(o), 0});
    }
}

}  // namespace floodgate::shop
