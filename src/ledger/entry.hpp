// Entering one batch of promises, inside a transaction that the caller holds.
//
// For each sale one guarded update sets the units of the whole batch aside. If they do not all fit,
// or the ledger does not know the sale, its promises are entered one by one, so that exactly those
// that do not fit are refused. Sales are locked in order of id, so two writers cannot deadlock.

#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "ledger/order_book.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// The mark of an order that holds stock. `limit` is the highest limit the sale has ever had.
std::uint64_t mark_for(sale::order_no no, std::int64_t limit);
// When a limit is raised, the marks of earlier orders stay 0.
constexpr bool mark_fits(std::uint64_t mark, sale::order_no no, std::int64_t limit) {
    return mark == 0 || (mark == no.value && limit > 1);
}

// Books the promise as a failed order, which holds no units. False: the ledger has its number
// already.
bool book_failed(store::connection& c, const sale::promise& p, const char* reason);

// Makes other writers of these promises' sales wait until the transaction ends.
void lock_sales(store::connection& c, std::span<const sale::promise> batch);
// Those numbers of these promises that the ledger has as orders or as letters.
std::set<sale::order_no> known_numbers(store::connection& c, std::span<const sale::promise> batch);

class entry {
public:
    // The time to pay counts from `pay_from`, or from the promise if that is later.
    entry(store::connection& c, instant pay_from) : connection_(c), pay_from_(pay_from) {}

    entry_report run(std::span<const sale::promise> batch);

private:
    // One sale's share of the batch.
    struct share {
        std::int64_t units = 0;          // of its promises
        std::int64_t placed = 0;         // of those, units in orders that are entered now
        sale::order_no first{}, last{};  // the smallest and the largest number
        instant at{};                    // of its latest promise
        std::size_t refused = 0;

        bool known = false;     // the ledger has this sale
        bool reserved = false;  // all its units are set aside already
        std::int64_t stock = 0, held_before = 0, limit = 0;
        milliseconds pay_within{};
    };
    struct row {
        const sale::promise* promise;
        sale::order* order;  // in the report
        share* of;
    };

    void gather(std::span<const sale::promise> batch);
    void reserve(sale::sale_id id, share& s);
    void place_swiftly(std::span<const row> rows);
    void place(const row& r);
    void refuse(const row& r, const char* reason);
    void settle(sale::sale_id id, const share& s);

    instant deadline(const row& r) const;
    std::int64_t units_of_buyer(const sale::promise& p);
    bool take(sale::sale_id id, std::int64_t units);
    void give_back(sale::sale_id id, std::int64_t units);
    void count(const row& r, int sign);

    store::connection& connection_;
    const instant pay_from_;
    entry_report report_;
    std::map<sale::sale_id, share> shares_;
    std::vector<row> rows_;
};

}  // namespace floodgate::ledger
