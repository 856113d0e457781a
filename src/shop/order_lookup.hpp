// A buyer's own orders: from memory when they changed lately, from the gate while they are on their
// way to the ledger, and from the ledger.
//
// Any thread that may block: the gate and the ledger are asked.

#pragma once

#include <vector>

#include "base/result.hpp"
#include "gate/turnstile.hpp"
#include "ledger/order_book.hpp"
#include "sale/order.hpp"
#include "shop/recent_orders.hpp"

namespace floodgate::shop {

// Of a queued order only the gate's part is known: number, sale, buyer, quantity, moment.
class order_lookup {
public:
    struct world {
        const recent_orders& recent;
        gate::turnstile& turnstile;
        ledger::order_book& book;
    };
    explicit order_lookup(const world& w) : world_(w) {}

    // not_found: there is none, or it is another buyer's. Otherwise as order_book::find says.
    result<sale::order> find(sale::user_id buyer, sale::order_no no);

    // Newest first, those below `before` (0: from the newest), queued ones among them, at most
    // `count`. Errors as order_book::of_buyer says.
    result<std::vector<sale::order>> latest(sale::user_id buyer, sale::order_no before,
                                            std::size_t count);

    // Whether the gate has promised it to the buyer. The ledger may have it by now.
    bool is_promised(sale::user_id buyer, sale::order_no no);
    // Promised, and certainly not in the ledger yet: nobody needs to wait for a ledger that is busy
    // or locked to hear so. False: it cannot be said without the ledger.
    bool is_queued(sale::user_id buyer, sale::order_no no);

private:
    std::optional<sale::order> find_promised(sale::user_id buyer, sale::order_no no);
    result<sale::order> find_entered(sale::user_id buyer, sale::order_no no);

    const world world_;
};

}  // namespace floodgate::shop
