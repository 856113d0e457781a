#include "shop/settlement.hpp"

#include <vector>

namespace floodgate::shop {

void settlement::settle(std::span<const ledger::move_outcome> outcomes) const {
    std::vector<sale::order_news> news;
    for (const ledger::move_outcome& m : outcomes) {
        if (!m.moved) continue;
        if (m.event != 0) ++moves_[static_cast<std::size_t>(m.order.state)];
        news.push_back({m.order, m.event});
    }
    settle(news);
}

void settlement::settle(std::span<const sale::order_news> news) const {
    std::vector<gate::turnstile::returned> back;
    for (const sale::order_news& n : news)
        if (!holds_stock(n.what.state)) back.push_back({n.what.sale, n.what.buyer, n.what.no});
    if (!back.empty()) turnstile_.release_all(back);
    if (told_ && !news.empty()) told_(news);
}

}  // namespace floodgate::shop
