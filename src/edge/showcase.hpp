// What buyers look at, built ahead: rounds and sales as finished JSON with an ETag.
//
// Reading is a version check and a pointer; nothing here waits for the database. The bodies are
// rebuilt when the catalogue changes, and every refresh interval for the sales whose free units
// moved, so `free` may be that old. The gate alone decides who gets a unit.

#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gate/turnstile.hpp"
#include "ledger/catalogue_book.hpp"

namespace floodgate::edge {

struct page {
    std::string body;
    std::string etag;  // with its quotes
};

// Never changes once built.
struct pages {
    page rounds;
    boost::unordered_flat_map<std::int64_t, page> sales;  // published, paused and ended ones
};

class showcase {
public:
    showcase(ledger::catalogue_book& book, gate::turnstile& turnstile);

    // Reads the catalogue again and builds everything. Blocks on the database.
    result<void> reload();
    // Rebuilds the pages of the sales whose free units moved since. Needs no database. Cheap when
    // nothing moved.
    void refresh();

    std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
    std::shared_ptr<const pages> read() const;

    // The catalogue as of the last reload.
    std::vector<sale::sale> sales() const;

private:
    std::shared_ptr<const pages> build() const;

    ledger::catalogue_book& book_;
    gate::turnstile& turnstile_;
    mutable std::mutex mutex_;
    std::vector<sale::product> products_;
    std::vector<sale::round> rounds_;
    std::vector<sale::sale> sales_;
    std::vector<std::int64_t> free_;  // as shown, parallel to sales_
    std::shared_ptr<const pages> pages_;
    std::atomic<std::uint64_t> version_{0};
};

}  // namespace floodgate::edge
