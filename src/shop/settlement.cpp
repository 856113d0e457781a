#include "shop/settlement.hpp"

#include <vector>

namespace floodgate::shop {

void settlement::settle(std::span<const ledger::move_outcome> outcomes) const {
    std::vector<sale::order_news> news;
    std::vector<gate::turnstile::returned> back;
    for (const ledger::move_outcome& m : outcomes) {
        if (!m.moved) continue;
        const sale::order& o = m.order;
        if (m.event != 0) ++moves_[static_cast<std::size_t>(o.state)];
        if (!holds_stock(o.state)) back.push_back({o.sale, o.buyer, o.no});
        if (told_) news.push_back({o, m.event});
    }
    if (!back.empty()) turnstile_.release_all(back);
    if (!news.empty()) told_(news);
}

}  // namespace floodgate::shop
