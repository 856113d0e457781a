// Orders: promises entered in batches, and read back.

#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "sale/line_id.hpp"
#include "sale/order.hpp"
#include "sale/promise.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

struct entry_report {
    std::size_t entered = 0;  // now `unpaid`
    std::size_t refused = 0;  // now `failed`, for the order's `reason`; the units must be released
    std::size_t known = 0;    // written by an earlier try
    // The entered and the refused orders as written now, in the order of the promises. Known ones
    // are left out. Reasons: unknown_sale, no_stock, limit_reached.
    std::vector<sale::order> orders;
};

// An order that counts against stock and limit, as the gate needs it at start.
struct held_order {
    sale::order_no no;
    sale::sale_id sale;
    sale::user_id buyer;
    std::uint32_t quantity = 1;
    sale::idempotency_key key{};
};

// What `floodgate check` found wrong, one sentence each.
using findings = std::vector<std::string>;

// A place in one of the lines.
struct line_position {
    sale::sequence at;
    sale::line_id line = sale::journal_line;

    // NOLINTNEXTLINE(google-explicit-constructor): a place in the journal is just its number
    line_position(sale::sequence place, sale::line_id of_line = sale::journal_line)
        : at(place), line(of_line) {}
};

class order_book {
public:
    explicit order_book(store::database& db) : db_(db) {}

    // Enters a batch in one transaction: for each sale one guarded stock update and one log line,
    // the orders, and the line's position `last`, which is the place of the batch's last promise.
    // If `last` is not beyond the ledger's position, nothing changes and all promises count as
    // known. An order number that the ledger has already is left alone and counts as known.
    // store_unavailable: nothing was entered; try again. rejected: nothing was entered, and the
    // same batch would be refused again, because the database refuses some promise in it. A buyer
    // whose promise waited for its entry has the full time to pay from `now` on.
    result<entry_report> enter(std::span<const sale::promise> batch, line_position last,
                               instant now = {});

    // Enters promises that were found outside their line after a line was lost, in one transaction.
    // No position moves. Promises whose numbers the ledger has, as orders or letters, are known.
    result<entry_report> enter_strays(std::span<const sale::promise> batch, instant now);

    // Whether the ledger can be written right now: commits an empty change.
    result<void> probe();

    // Everything up to here has been entered durably. 0 for a line that was never used.
    result<sale::sequence> position(sale::line_id line = sale::journal_line);
    result<std::map<sale::line_id, sale::sequence>> positions();
    // The id of the journal that belongs to this ledger; 0: there has been none yet.
    result<std::uint64_t> journal_id();
    // From now on the ledger belongs to this journal. conflict: it belongs to another one.
    result<void> remember_journal(std::uint64_t id);

    // Begins the line's next epoch (sale/partition.hpp) and moves the position there, past every
    // promise of earlier epochs. Callers at the same time get different epochs. The epoch is also
    // larger than `beyond`, because after a backup was restored the gate may be ahead of the
    // ledger.
    result<std::uint64_t> raise_epoch(sale::line_id line, std::uint64_t beyond = 0);

    result<sale::order> find(sale::order_no no);  // not_found
    // Newest first, only numbers below `before` (0: from the newest), at most `limit`.
    result<std::vector<sale::order>> of_buyer(sale::user_id buyer, sale::order_no before,
                                              std::size_t limit);
    // Visits every order that holds stock, in order of number. Fast, because the gate loads them at
    // start.
    result<void> for_each_held(const std::function<void(const held_order&)>& visit);
    // Visits the sale's orders that hold no stock (any more) but were placed with an
    // Idempotency-Key, because the gate still gives the same answer to the same key.
    result<void> for_each_spent_key(sale::sale_id sale,
                                    const std::function<void(const held_order&)>& visit);
    result<sale::order_no> latest_number();  // of orders and letters; 0 when there is none

    // Computes every figure from the orders and compares: units held in each sale, stock guard,
    // buyer limits, log chain (each line's `before` is its predecessor's `after`). Empty: all is
    // well.
    result<findings> check();

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
