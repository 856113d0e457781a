#include "clerk/aftermath.hpp"

#include <vector>

namespace floodgate::clerk {

void aftermath::settle(std::span<const ledger::move_outcome> outcomes) const {
    std::vector<sale::order_news> news;
    for (const ledger::move_outcome& m : outcomes) {
        if (!m.moved) continue;
        const sale::order& o = m.order;
        if (!holds_stock(o.state)) turnstile_.release(o.sale, o.buyer, o.no);
        if (told_) news.push_back({o, m.event});
    }
    if (!news.empty()) told_(news);
}

}  // namespace floodgate::clerk
