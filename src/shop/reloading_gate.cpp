#include "shop/reloading_gate.hpp"

#include "base/log.hpp"

namespace floodgate::shop {

result<void> reloading_gate::warm_up(const sale::sale& s) {
    {
        const std::lock_guard lock(one_at_a_time_);
        if (inner_.look_up(s.id)) return inner_.warm_up(s);
    }
    const auto needed = loader_.needs(s, clock_.now());
    if (!needed) return needed.error();
    if (!*needed) return {};
    return reload(s);
}

result<void> reloading_gate::forget(const sale::sale& s) {
    const std::lock_guard lock(one_at_a_time_);
    return inner_.forget(s);
}

result<void> reloading_embedded_gate::reload(const sale::sale& s) {
    embedded_target target(gate_, s.state);
    const auto loaded = loader_.load(s, target, clock_.now());
    if (loaded) return {};
    if (loaded.error() == errc::conflict) return gate_.warm_up(s);  // loaded meanwhile
    return loaded.error();
}

result<void> reloading_redis_gate::reload(const sale::sale& s) {
    const auto sold = book_.tallies().was_sold(s.id);
    if (!sold) return sold.error();
    if (!*sold) return gate_.warm_up(s);
    const sale::partition p = sale::partition_of(s.id, partitions_);
    const auto state = gate_.state_of(p);
    if (!state) return state.error();
    if (!state->open) return gate_.warm_up(s);  // the rebuild brings its orders
    log::info("shop.sale_reloaded", "sale", s.id.value, "partition", p.number);
    return gate_.close(p);
}

}  // namespace floodgate::shop
