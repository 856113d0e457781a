#include "shop/settlement.hpp"

#include <vector>

namespace floodgate::shop {

void settlement::settle(std::span<const ledger::move_outcome> outcomes) const {
    std::vector<returned> back;
    std::vector<sale::order_news> news;
    for (const ledger::move_outcome& m : outcomes) {
        if (!m.moved) continue;
        if (m.event != 0) ++moves_[static_cast<std::size_t>(m.order.state)];
        if (!holds_stock(m.order.state))
            back.push_back(
                {m.order.sale, m.order.buyer, m.order.no, wait_after(m), m.withdrawn_at});
        news.push_back({m.order, m.event});
    }
    finish(back, news);
}

void settlement::settle(std::span<const sale::order_news> news) const {
    std::vector<returned> back;
    for (const sale::order_news& n : news)
        if (!holds_stock(n.what.state) && n.what.state != sale::order_state::refunded)
            back.push_back({n.what.sale, n.what.buyer, n.what.no});
    finish(back, news);
}

gate::cool_down settlement::wait_after(const ledger::move_outcome& m) const {
    if (m.event == 0 || !is_given_up(m.order.state)) return {};
    return {m.at, m.at + cool_down_};
}

void settlement::finish(std::span<const returned> back,
                        std::span<const sale::order_news> news) const {
    if (!back.empty()) turnstile_.release_all(back);
    for (const returned& r : back)
        if (r.withdrawn_at > 0 && withdrawn_) withdrawn_(r.sale);
    if (told_ && !news.empty()) told_(news);
}

}  // namespace floodgate::shop
