#include "push/mailroom.hpp"

#include <utility>

namespace floodgate::push {
namespace {

using bag = std::vector<sale::order_news>;

// Sorts news by loop. A loop gets each order once, however many of its clients listen.
class sorting {
public:
    void put(std::uint32_t loop, const sale::order_news& news) {
        if (loop >= bags_.size()) bags_.resize(loop + 1);
        bag& b = bags_[loop];
        if (b.empty() || b.back().what.no != news.what.no || b.back().event != news.event)
            b.push_back(news);
    }
    std::vector<bag>& bags() { return bags_; }

private:
    std::vector<bag> bags_;
};

std::uint64_t key_of(sale::user_id u) { return static_cast<std::uint64_t>(u.value); }

}  // namespace

void mailroom::deliver(std::span<const sale::order_news> news) {
    sorting sorted;
    for (const sale::order_news& one : news) {
        if (!recent_.apply(one) || !anybody_listens()) continue;
        const auto put = [&](std::uint32_t loop) { sorted.put(loop, one); };
        orders_.for_each_loop(one.what.no.value, put);
        buyers_.for_each_loop(key_of(one.what.buyer), put);
    }
    if (sorted.bags().empty()) return;
    const std::lock_guard lock(mutex_);
    for (std::size_t loop = 0; loop < sorted.bags().size(); ++loop) {
        bag& b = sorted.bags()[loop];
        if (!b.empty() && boxes_[loop].news) boxes_[loop].news(std::move(b));
    }
}

void mailroom::note_missed() {
    recent_.forget_all();
    const std::lock_guard lock(mutex_);
    for (const box& b : boxes_)
        if (b.missed) b.missed();
}

void mailroom::show(const std::shared_ptr<const std::string>& message) {
    if (!has_viewers()) return;
    const std::lock_guard lock(mutex_);
    for (const box& b : boxes_)
        if (b.live) b.live(message);
}

std::uint32_t mailroom::open_box(box b) {
    const std::lock_guard lock(mutex_);
    boxes_.push_back(std::move(b));
    return static_cast<std::uint32_t>(boxes_.size() - 1);
}

void mailroom::close_box(std::uint32_t loop) {
    const std::lock_guard lock(mutex_);
    boxes_[loop] = {};
}

bool mailroom::start_waiting(sale::order_no order, sale::user_id buyer, listener who) {
    if (orders_.count() >= options_.waiters_max) return false;
    orders_.add(order.value, who, options_.waiters_max);
    const auto oldest = waiters_.add(key_of(buyer), who, options_.waiters_per_user_max);
    if (!oldest) return true;
    const std::lock_guard lock(mutex_);
    if (const box& b = boxes_[oldest->loop]; b.waited_enough) b.waited_enough(oldest->id);
    return true;
}

void mailroom::stop_waiting(sale::order_no order, sale::user_id buyer, listener who) {
    orders_.remove(order.value, who);
    waiters_.remove(key_of(buyer), who);
}

bool mailroom::join(sale::user_id buyer, listener who) {
    if (buyers_.count() >= options_.sockets.connections_max) {
        ++counters_.refused;
        return false;
    }
    const auto oldest = buyers_.add(key_of(buyer), who, options_.sockets.per_user_max);
    ++counters_.opened;
    if (!oldest) return true;
    const std::lock_guard lock(mutex_);
    if (const box& b = boxes_[oldest->loop]; b.replaced) b.replaced(oldest->id);
    return true;
}

void mailroom::leave(sale::user_id buyer, listener who) { buyers_.remove(key_of(buyer), who); }

mailroom::figures mailroom::read_figures() const {
    return {.sockets = buyers_.count(),
            .opened = counters_.opened,
            .refused = counters_.refused,
            .messages = counters_.messages,
            .overflowed = counters_.overflowed,
            .waiters = orders_.count()};
}

}  // namespace floodgate::push
