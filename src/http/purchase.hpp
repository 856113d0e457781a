// Reading an attempt to buy: POST /api/v1/sales/{id}/orders, the one request that must be fast.

#pragma once

#include <optional>
#include <string_view>

#include "api/json_body.hpp"
#include "http/conversation.hpp"
#include "sale/attempt.hpp"

namespace floodgate::http {

struct purchase_fault {
    api::problem what;
    api::body_fault fault;
};

// Fills in quantity (default 1) and key; a.buyer must be set. Gives what is wrong, if anything.
std::optional<purchase_fault> read_purchase(const request& r, sale::attempt& a);
api::reply refuse_purchase(const purchase_fault& fault, api::language lang);

// Whether the type is application/json, with or without parameters. A missing type counts as JSON.
bool is_json(std::string_view content_type);
// Whether it is text/csv or application/octet-stream, with or without parameters.
bool is_file(std::string_view content_type);

inline constexpr std::size_t idempotency_key_bytes_max = 128;

}  // namespace floodgate::http
