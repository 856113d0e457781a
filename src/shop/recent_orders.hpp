// Orders that changed lately, in memory. Most buyers ask for these in the minutes after a sale.
//
// Bounded: the order that was added first is forgotten first. Any thread; a lock is held for one
// order at a time.
//
// A node of a cluster may miss news of moves that other nodes made, so it trusts its memory only
// for a while.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "sale/news.hpp"

namespace floodgate::shop {

struct recent_options {
    std::size_t max = 100'000;     // orders remembered
    milliseconds believed_for{0};  // 0: for ever
    // Promises are entered in the order of their numbers. False where several nodes give numbers.
    bool numbers_in_order = true;
};

class recent_orders {
public:
    explicit recent_orders(recent_options o = {}, const monotonic_clock& clock = machine_time);

    // Takes the news over, unless what is known is as new or newer: threads that tell of the same
    // order may overtake each other. False: nothing was taken over.
    bool apply(const sale::order_news& news);

    std::optional<sale::order> find(sale::order_no no) const;
    // To be called when the ledger was changed in another way than by moves and must be asked
    // again.
    void forget_all();

    // Sets the largest number that was entered before the first news.
    void start_from(sale::order_no entered) { newest_entered_ = entered.value; }
    // The largest number ever told as entered; 0: none was yet.
    sale::order_no newest_entered() const { return {newest_entered_.load()}; }
    // True: a promise with this number is newer than every entry, so it is still queued and the
    // ledger need not be asked. Always false where numbers are not entered in order.
    bool is_beyond_entries(sale::order_no no) const {
        return numbers_in_order_ && no > newest_entered();
    }

private:
    static constexpr std::size_t parts = 64;  // 2^6: see part_of

    struct known {
        sale::order order;
        std::int64_t event = 0;
        moment heard{};
    };
    struct alignas(64) part {
        mutable std::mutex mutex;
        boost::unordered_flat_map<sale::order_no, std::uint32_t> places;  // in `ring`
        std::vector<known> ring;
        std::uint32_t next = 0;  // the place to be used next, once the ring is full
    };
    static bool replaces(const sale::order_news& news, const known& old);
    // Multiplied, because the low bits of most numbers are all zero (see sale/order_number.hpp).
    static std::size_t part_of(sale::order_no no) { return no.value * 0x9e3779b97f4a7c15U >> 58U; }
    void remember(part& p, const sale::order_news& news);

    known note(const sale::order_news& news) const;
    bool is_believed(const known& k) const;

    const std::size_t per_part_max_;
    const milliseconds believed_for_;
    const bool numbers_in_order_;
    const monotonic_clock& clock_;
    std::array<part, parts> parts_;
    std::atomic<std::uint64_t> newest_entered_{0};
};

}  // namespace floodgate::shop
