#include "shop/recent_orders.hpp"

#include <algorithm>

namespace floodgate::shop {
namespace {

bool is_entry(const sale::order_news& news) { return news.event == 0 && news.what.closing.empty(); }

}  // namespace

recent_orders::recent_orders(recent_options o, const monotonic_clock& clock)
    : per_part_max_(std::max<std::size_t>((o.max + parts - 1) / parts, 1)),
      believed_for_(o.believed_for),
      numbers_in_order_(o.numbers_in_order),
      clock_(clock) {}

recent_orders::known recent_orders::note(const sale::order_news& news) const {
    known k{.order = news.what, .event = news.event};
    if (believed_for_ > milliseconds(0)) k.heard = clock_.now();
    return k;
}

bool recent_orders::is_believed(const known& k) const {
    return believed_for_ == milliseconds(0) || clock_.now() - k.heard < believed_for_;
}

// Every other move comes after the entry; "being closed" comes before the move that ends it.
bool recent_orders::replaces(const sale::order_news& news, const known& old) {
    if (news.event != 0) return news.event > old.event;
    return !is_entry(news) && old.event == 0 && old.order.closing.empty();
}

bool recent_orders::apply(const sale::order_news& news) {
    part& p = parts_[part_of(news.what.no)];
    {
        const std::lock_guard lock(p.mutex);
        if (const auto found = p.places.find(news.what.no); found != p.places.end()) {
            known& old = p.ring[found->second];
            if (!replaces(news, old)) return false;
            old = note(news);
        } else {
            remember(p, news);
        }
    }
    if (is_entry(news)) {
        std::uint64_t newest = newest_entered_.load();
        while (newest < news.what.no.value &&
               !newest_entered_.compare_exchange_weak(newest, news.what.no.value)) {
        }
    }
    return true;
}

void recent_orders::remember(part& p, const sale::order_news& news) {
    if (p.ring.size() < per_part_max_) {
        p.places.emplace(news.what.no, static_cast<std::uint32_t>(p.ring.size()));
        p.ring.push_back(note(news));
        return;
    }
    p.places.erase(p.ring[p.next].order.no);
    p.places.emplace(news.what.no, p.next);
    p.ring[p.next] = note(news);
    p.next = (p.next + 1) % static_cast<std::uint32_t>(per_part_max_);
}

void recent_orders::forget_all() {
    for (part& p : parts_) {
        const std::lock_guard lock(p.mutex);
        p.places.clear();
        p.ring.clear();
        p.next = 0;
    }
}

std::optional<sale::order> recent_orders::find(sale::order_no no) const {
    const part& p = parts_[part_of(no)];
    const std::lock_guard lock(p.mutex);
    const auto found = p.places.find(no);
    if (found == p.places.end()) return std::nullopt;
    const known& k = p.ring[found->second];
    if (!is_believed(k)) return std::nullopt;
    return k.order;
}

}  // namespace floodgate::shop
