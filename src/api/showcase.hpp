// The pages that buyers see, built in advance: rounds and sales as finished JSON with an ETag.
//
// Reading takes a version check and a pointer and never waits for the database. The pages are
// rebuilt when the catalogue changes; at every refresh, only those of sales whose free units
// changed. So `free` may be one refresh interval old. The gate alone decides who gets a unit.
//
// Readers share the pages; none is copied for a reader. A sale has a page of its own with the whole
// product. One list shows the rounds that are open or still to come, another those that have ended
// and are still remembered, in pages of bounded size; there a sale has no description of its
// product and only the first picture.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/rounds_list.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "gate/turnstile.hpp"
#include "ledger/catalogue_book.hpp"
#include "shop/sale_memory.hpp"

namespace floodgate::api {

struct page {
    std::shared_ptr<const std::string> body;
    std::string etag;  // with its quotes
};

// What orders show of their sale.
struct sale_label {
    sale::product_id product;
    sale::round_id round;
    std::string title;  // the product's
    // What the shop's own systems call them, and know of the sale; empty: nothing.
    std::string external_id, product_external_id, metadata;
};
using sale_labels = boost::unordered_flat_map<std::int64_t, sale_label>;

// Never changes once built.
struct pages {
    std::shared_ptr<const rounds_list> rounds;
    std::shared_ptr<const rounds_list> ended;             // as long as their sales are remembered
    boost::unordered_flat_map<std::int64_t, page> sales;  // published, paused and ended ones
    std::shared_ptr<const sale_labels> labels;            // of all sales, also those that are over
};

class showcase {
public:
    // Sales that are over by the rule of `memory` are left out, and the list leaves out all rounds
    // that have ended.
    showcase(ledger::catalogue_book& book, gate::turnstile& turnstile,
             const floodgate::clock& clock, shop::sale_memory memory = {});

    // Reads the catalogue again and builds everything. Blocks on the database.
    result<void> reload();
    // Rebuilds the pages of sales whose free units changed, and removes rounds that have ended from
    // the list. Does not use the database, and during a reload it does nothing. Cheap if nothing
    // changed.
    void refresh();

    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
    std::shared_ptr<const pages> read() const;  // never null
    // Never null. A sale that was added since the last reload may be missing.
    std::shared_ptr<const sale_labels> labels() const { return read()->labels; }

private:
    // A sale's page without its free units, which a refresh has to fill in.
    struct shown_sale {
        sale::sale_id id;
        std::string head, listed_head;  // with the whole product, and with the short form
        std::string tail;
        std::optional<std::int64_t> free;      // as shown; empty: the gate does not hold the sale
        std::optional<instant> sold_out_at{};  // only if it was seen to happen
    };
    struct shown_round {
        sale::round_id id;
        instant starts_at, ends_at;
        std::string head;
        std::vector<std::size_t> sales;  // places in sales_
    };
    struct window_display {
        std::vector<shown_sale> sales;    // in order of id; without drafts and those that are over
        std::vector<shown_round> rounds;  // in order of opening
    };

    window_display arrange(const std::vector<sale::product>& products,
                           std::vector<sale::round> rounds,
                           const std::vector<sale::sale>& sales) const;
    bool is_over(const sale::sale& s) const { return memory_.is_over(s, clock_.now()); }
    bool ended(const shown_round& r) const { return r.ends_at <= clock_.now(); }
    std::shared_ptr<const rounds_list> list_rounds();
    std::shared_ptr<const rounds_list> list_ended() const;
    listed_round listed(const shown_round& r) const;
    void list_into(pages& built);
    static std::string shown_free(const shown_sale& s);
    page sale_page(std::size_t place) const;
    std::vector<std::size_t> look_at_gate();
    void publish(std::shared_ptr<const pages> built);

    ledger::catalogue_book& book_;
    gate::turnstile& turnstile_;
    const floodgate::clock& clock_;
    const shop::sale_memory memory_;
    std::mutex building_;  // one reload or refresh at a time; guards display_
    window_display display_;
    instant list_good_until_ = instant::max();  // the first end of a round in it; as display_
    mutable std::mutex mutex_;                  // held for a moment only; guards pages_
    std::shared_ptr<const pages> pages_;
    std::atomic<std::uint64_t> version_{0};
};

}  // namespace floodgate::api
