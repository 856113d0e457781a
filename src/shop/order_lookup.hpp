// A buyer's own orders: from memory if they changed lately, from the gate while they are in flight,
// and from the ledger.
//
// Any thread that may block, because the gate and the ledger are asked.

#pragma once

#include <vector>

#include "base/result.hpp"
#include "gate/turnstile.hpp"
#include "ledger/order_book.hpp"
#include "sale/order.hpp"
#include "shop/recent_orders.hpp"

namespace floodgate::shop {

// A queued order has only what the gate knows: number, sale, buyer, quantity, time.
class order_lookup {
public:
    struct world {
        const recent_orders& recent;
        gate::turnstile& turnstile;
        ledger::order_book& book;
    };
    explicit order_lookup(const world& w) : world_(w) {}

    // not_found: there is none, or it is another buyer's. Other errors as of order_book::find.
    result<sale::order> find(sale::user_id buyer, sale::order_no no);

    // At most `count` orders below `before` (0: from the newest), newest first, including queued
    // ones. Errors as of order_book::of_buyer.
    result<std::vector<sale::order>> latest(sale::user_id buyer, sale::order_no before,
                                            std::size_t count);

    // Whether the gate has promised this order to the buyer. The ledger may have it by now.
    bool is_promised(sale::user_id buyer, sale::order_no no);
    // Whether the order is promised and certainly not in the ledger yet. Does not ask the ledger,
    // so a buyer need not wait for a busy one. False: only the ledger can tell.
    bool is_queued(sale::user_id buyer, sale::order_no no);

private:
    std::optional<sale::order> find_promised(sale::user_id buyer, sale::order_no no);
    result<sale::order> find_entered(sale::user_id buyer, sale::order_no no);

    const world world_;
};

}  // namespace floodgate::shop
