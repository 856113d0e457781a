// Many products or sales at once, named by their external ids: catalogue_book::put_products() and
// put_sales(). Putting the same lines again changes nothing.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ledger/audit_book.hpp"
#include "sale/catalogue_change.hpp"

namespace floodgate::ledger {

enum class put_outcome : std::uint8_t {
    created = 1,
    updated,
    unchanged,
    refused,  // `why`, `field` and `detail` say why; the other lines are not affected
    on_sale,  // a sale that is published or paused: the gate must follow, so nothing was written
};

struct put_result {
    put_outcome what{};
    std::int64_t id = 0;  // of the product or sale; 0: it was refused and does not exist
    errc why{};           // refused: not_found, already_exists, conflict or invalid
    std::string field{}, detail{};
};

// Makes the audit lines of a batch. `before` is null for something new. They must not call the
// ledger, and may be called again for the same lines.
struct put_signer {
    std::function<audit_line(const sale::product* before, const sale::product& after)> product;
    std::function<audit_line(const sale::round& made)> round;
    std::function<audit_line(const sale::sale* before, const sale::sale& after)> sale;
    // When the stock of a draft is changed; the sale has its new stock.
    std::function<audit_line(std::int64_t before, const sale::sale& after)> stock;
};

struct put_options {
    instant now;
    bool dry_run = false;  // find out what would happen, and write nothing
};

}  // namespace floodgate::ledger
