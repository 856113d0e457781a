#include "shop/ledger_health.hpp"

#include "base/log.hpp"

namespace floodgate::shop {

void ledger_health::note(const boost::system::error_code& why, instant now) {
    if (why != make_error_code(errc::store_unavailable)) return;
    const std::lock_guard lock(mutex_);
    if (failing_.exchange(true)) return;
    next_look_ = now + look_every_;
    log::warning("shop.ledger_lost", "reason", why.message());
}

bool ledger_health::is_well(instant now) {
    if (!failing_) return true;
    if (!may_look(now)) return false;
    const result<void> looked = book_.probe();
    const std::lock_guard lock(mutex_);
    looking_ = false;
    if (!looked) return false;
    failing_ = false;
    log::info("shop.ledger_found");
    return true;
}

bool ledger_health::may_look(instant now) {
    const std::lock_guard lock(mutex_);
    if (looking_ || now < next_look_) return false;
    looking_ = true;
    next_look_ = now + look_every_;
    return true;
}

}  // namespace floodgate::shop
