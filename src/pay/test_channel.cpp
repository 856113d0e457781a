#include "pay/test_channel.hpp"

namespace floodgate::pay {

// The known trade; an unknown one is remembered as `as`.
trade& test_channel::remember(sale::order_no no, trade as) {
    if (const auto found = trades_.find(no.value); found != trades_.end()) return found->second;
    if (oldest_first_.size() == remembered_) {
        trades_.erase(oldest_first_.front());
        oldest_first_.pop_front();
    }
    oldest_first_.push_back(no.value);
    return trades_[no.value] = as;
}

result<checkout> test_channel::begin(const sale::order& o) {
    const std::scoped_lock held(mutex_);
    if (remember(o.no, trade::paid) != trade::paid) return make_error_code(errc::conflict);
    return checkout{.paid = true, .redirect = {}};
}

result<std::optional<refusal>> test_channel::refuses(const sale::order& o) {
    if (o.amount.value == 0 && o.amount_points.value == 0) return std::nullopt;
    return channel::refuses(o);
}

trade test_channel::query(const sale::order& o) {
    const std::scoped_lock held(mutex_);
    const auto found = trades_.find(o.no.value);
    return found == trades_.end() ? trade::open : found->second;
}

trade test_channel::close(const sale::order& o) {
    const std::scoped_lock held(mutex_);
    return remember(o.no, trade::closed);
}

// A trade with money given back is closed, also if it was only a part: nothing more can be paid.
refund_answer test_channel::refund(const sale::order& o, const refund_request&) {
    const std::scoped_lock held(mutex_);
    remember(o.no, trade::closed) = trade::closed;
    return refund_answer::done;
}

}  // namespace floodgate::pay
