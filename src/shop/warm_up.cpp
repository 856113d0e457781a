#include "shop/warm_up.hpp"

#include <algorithm>

namespace floodgate::shop {
result<void> warm_up_sale(const warm_up_world& w, sale::sale_id id) {
    const std::lock_guard one_at_a_time(w.catalogue_mutex);
    const auto sales = w.catalogue.sales();
    if (!sales) return sales.error();
    const auto found = std::ranges::find(*sales, id, &sale::sale::id);
    if (found == sales->end()) return make_error_code(errc::not_found);
    if (found->state == sale::sale_state::draft) return make_error_code(errc::invalid);
    return w.turnstile.warm_up(*found);
}

}  // namespace floodgate::shop
