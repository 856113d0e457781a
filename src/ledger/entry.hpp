// Entering one batch of promises, inside a transaction that the caller holds.
//
// Per sale one guarded update sets the units of the whole batch aside. A sale whose units do not
// all fit (or that nobody knows) is entered promise by promise instead, so that exactly those that
// do not fit are refused. Sales are touched in order of id: two writers never wait for each other.

#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "ledger/order_book.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {

// The mark of an order that holds stock, in a sale whose buyers ever had this limit.
std::uint64_t mark_for(sale::order_no no, std::int64_t limit);
// A limit that was raised leaves the marks of earlier orders at 0.
constexpr bool mark_fits(std::uint64_t mark, sale::order_no no, std::int64_t limit) {
    return mark == 0 || (mark == no.value && limit > 1);
}

// Books the promise as a failed order that holds nothing. False: its number is in the book already.
bool book_failed(store::connection& c, const sale::promise& p, const char* reason);

// Makes other writers of these promises' sales wait until the transaction ends.
void lock_sales(store::connection& c, std::span<const sale::promise> batch);
// The numbers of these promises that are in the book or among the letters.
std::set<sale::order_no> known_numbers(store::connection& c, std::span<const sale::promise> batch);

class entry {
public:
    // The time to pay counts from `pay_from`, or from the promise if that is later.
    entry(store::connection& c, instant pay_from) : connection_(c), pay_from_(pay_from) {}

    entry_report run(std::span<const sale::promise> batch);

private:
    // What one sale has in the batch.
    struct share {
        std::int64_t units = 0;          // asked for by its promises
        std::int64_t placed = 0;         // of those, in orders now entered
        sale::order_no first{}, last{};  // the smallest and the largest number
        instant at{};                    // of its latest promise
        std::size_t refused = 0;

        bool known = false;     // there is such a sale
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
