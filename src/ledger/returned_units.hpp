// Units that a transaction gives back: one update of each sale's figures, and one line in the stock
// log for each sale and cause.
//
// Units of refunded orders leave the stock if their sale does not sell them again: they are
// withdrawn. All others are released and can be sold again.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sale/order.hpp"
#include "sale/order_move.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// Inside a write transaction that the caller holds.
class returned_units {
public:
    // Reads and locks the sales' rows, in order of id, as entry.hpp does.
    returned_units(store::connection& c, const std::set<sale::sale_id>& sales);

    // Counts the units of an order that no longer holds them. False, and not counted: the sale does
    // not hold as many, because the ledger was changed by hand.
    bool add(const sale::order& o, sale::order_event cause, instant at);

    void write();

    // The revision that the sale gets because this order's units leave its stock. 0: they can be
    // sold again.
    std::int64_t withdrawn_at(const sale::order& o, sale::order_event cause) const;

private:
    struct part {
        std::int64_t units = 0;
        std::size_t orders = 0;
        sale::order_no first{}, last{};
        instant at{};

        std::string note(sale::order_event cause) const;
    };
    struct share {
        std::int64_t stock = 0, held = 0, revision = 0;  // before
        bool resells = true;
        std::int64_t units = 0;  // of all parts
        std::map<sale::order_event, part> parts{};

        bool withdraws(sale::order_event cause) const {
            return !resells && cause == sale::order_event::refund_done;
        }
        std::int64_t withdrawn() const;
    };
    using units_by_sale = std::map<sale::sale_id, std::int64_t>;

    void change_figures();
    void update(std::string_view change, const units_by_sale& by);
    void write_log();

    store::connection& book_;
    std::map<sale::sale_id, share> shares_;
};

}  // namespace floodgate::ledger
