#include "clerk/warm_up.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace floodgate::clerk {
namespace {

constexpr std::size_t piece = 50;  // sales loaded in one turn of the mutex

result<void> load(const std::vector<sale::sale>& sales, sale::sale_id id, gate::turnstile& gate) {
    const auto found = std::ranges::find(sales, id, &sale::sale::id);
    if (found == sales.end()) return make_error_code(errc::not_found);
    if (found->state == sale::sale_state::draft) return make_error_code(errc::invalid);
    return gate.warm_up(*found);
}

}  // namespace

result<void> warm_up_sale(const warm_up_world& w, sale::sale_id id) {
    const std::lock_guard one_at_a_time(w.catalogue_mutex);
    const auto sales = w.catalogue.sales();
    if (!sales) return sales.error();
    return load(*sales, id, w.turnstile);
}

result<void> warm_up_batch::warm_all(instant now) {
    const auto sales = world_.catalogue.sales();
    if (!sales) return sales.error();
    std::vector<sale::sale_id> ids;
    for (const sale::sale& s : *sales)
        if (s.state == sale::sale_state::published || s.state == sale::sale_state::paused)
            ids.push_back(s.id);
    return warm(ids, now);
}

result<void> warm_up_batch::warm(std::span<const sale::sale_id> ids, instant now) {
    {
        const std::scoped_lock lock(mutex_);
        if (progress_.running) return make_error_code(errc::conflict);
        progress_ = {.total = ids.size(), .running = true, .started_at = now};
    }
    const auto done = run(ids);
    const std::scoped_lock lock(mutex_);
    progress_.running = false;
    log::info("sales.warmed_up", "total", progress_.total, "failed", progress_.failed);
    return done;
}

result<void> warm_up_batch::run(std::span<const sale::sale_id> ids) {
    while (!ids.empty()) {
        const auto now = ids.first(std::min(piece, ids.size()));
        ids = ids.subspan(now.size());
        const std::lock_guard one_at_a_time(world_.catalogue_mutex);
        const auto sales = world_.catalogue.sales();
        if (!sales) return sales.error();
        for (const sale::sale_id id : now) {
            const auto loaded = load(*sales, id, world_.turnstile);
            if (!loaded) {
                log::error("sale.warm_up_failed", "sale", id.value, "reason",
                           loaded.error().message());
            }
            const std::scoped_lock lock(mutex_);
            ++progress_.done;
            if (!loaded) ++progress_.failed;
        }
    }
    return {};
}

warm_up_progress warm_up_batch::progress() const {
    const std::scoped_lock lock(mutex_);
    return progress_;
}

}  // namespace floodgate::clerk
