// Changes of the catalogue. A member that is left empty keeps its value.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sale/catalogue.hpp"

namespace floodgate::sale {

struct product_change {
    std::optional<std::string> title{}, description{};
    std::optional<std::vector<std::string>> pictures{};
    std::optional<fen> list_price{};
    std::optional<std::string> external_id{}, metadata{};

    product applied_to(product p) const;
};

struct round_change {
    std::optional<std::string> title{};
    std::optional<instant> starts_at{}, ends_at{};
    std::optional<std::string> external_id{};

    round applied_to(round r) const;
};

struct terms_change {
    std::optional<fen> price{};
    std::optional<points> price_points{};
    std::optional<std::uint32_t> limit{}, pay_within_s{};
    std::optional<bool> resell_refunded{};
    std::optional<points> earns_points{};
    std::optional<std::string> external_id{}, metadata{};

    sale applied_to(sale s) const;
};

// A product as the shop's own systems know it. The external id of the change is not used.
struct product_line {
    std::string external_id;
    product_change change{};
};

// The same for a sale. A new one needs product, round, price and stock.
struct sale_line {
    std::string external_id;
    std::optional<std::string> product{};  // by its external id
    std::optional<std::string> round{};    // by its external id
    // Instead of `round`: one with this title and window, which is made if there is none. If it has
    // an external id, it is found by that, and must have this title and window.
    std::optional<floodgate::sale::round> described_round{};
    terms_change terms{};
    std::optional<std::int64_t> stock{};  // units in total, sold or not
    bool publish = false;                 // if it is a draft
};

}  // namespace floodgate::sale
