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
    std::size_t refused = 0;  // now `failed`, for the order's `reason`: their units must go back
    std::size_t known = 0;    // were there already: written by an earlier try
    // As written now, in the order of the promises: the entered and the refused, not the known.
    // Reasons: unknown_sale, no_stock, limit_reached.
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

    // Enters a batch in one transaction: per sale one guarded stock update and one log line, the
    // orders, and the line's position `last`, which is the place of the batch's last promise.
    // A batch whose `last` is not beyond the position in the book changes nothing (all known).
    // An order number that is in the book already is left alone and counted as known.
    // store_unavailable: nothing of the batch is in the book; try again. rejected: neither, and the
    // same batch will not be taken: some promise in it is poison.
    // Whoever had to wait for the entry has the full time to pay from `now` on.
    result<entry_report> enter(std::span<const sale::promise> batch, line_position last,
                               instant now = {});

    // Promises found outside of their line, when a line was lost: entered by their numbers alone,
    // in one transaction; no position moves. Those in the book or among the letters are known.
    result<entry_report> enter_strays(std::span<const sale::promise> batch, instant now);

    // Whether the book can be written at all right now: an empty change, committed.
    result<void> probe();

    // Everything up to here has been entered, durably. A line that was never used: 0.
    result<sale::sequence> position(sale::line_id line = sale::journal_line);
    result<std::map<sale::line_id, sale::sequence>> positions();
    // The id of the journal that belongs to this book; 0: there has been none yet.
    result<std::uint64_t> journal_id();
    // From now on the book belongs to this journal. conflict: it belongs to another one.
    result<void> remember_journal(std::uint64_t id);

    // Begins the line's next epoch (sale/partition.hpp): its position moves there, past all that
    // earlier epochs may still bring. Callers at the same time get different epochs. It is larger
    // than `beyond`, too: a gate that outlived this ledger (a backup was restored) may be ahead.
    result<std::uint64_t> raise_epoch(sale::line_id line, std::uint64_t beyond = 0);

    result<sale::order> find(sale::order_no no);  // not_found
    // Newest first, only numbers below `before` (0: from the newest), at most `limit`.
    result<std::vector<sale::order>> of_buyer(sale::user_id buyer, sale::order_no before,
                                              std::size_t limit);
    // Every order that holds stock, in order of number. Fast: what the gate loads at start.
    result<void> for_each_held(const std::function<void(const held_order&)>& visit);
    // Orders that hold no stock (any more) but were placed with an Idempotency-Key: the gate still
    // answers the same to the same key.
    result<void> for_each_spent_key(const std::function<void(const held_order&)>& visit);
    result<void> for_each_spent_key(sale::sale_id sale,
                                    const std::function<void(const held_order&)>& visit);
    result<sale::order_no> latest_number();  // of orders and letters; 0 when there is none

    // Recomputes every figure from the orders and compares: held per sale, stock guard, buyer
    // limits, log chain (each line's `before` is its predecessor's `after`). Empty: all is well.
    result<findings> check();

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
