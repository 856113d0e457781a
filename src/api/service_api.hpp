// The calls of machines that keep the catalogue up to date: many products or sales at once.
//
// The body is NDJSON, one object a line, named by external_id; the answer is NDJSON as well, a line
// for each line: {line, external_id, result: created | updated | unchanged | refused, id,
// problem?}. Sending the same lines again changes nothing, so a client that was interrupted sends
// them again.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

inline constexpr std::size_t batch_bytes_max = 16 << 20;
inline constexpr std::size_t batch_lines_max = 10'000;
inline constexpr std::size_t batch_line_bytes_max = 64 << 10;
inline constexpr std::size_t lines_per_transaction = 500;

// 413: too many lines. A line that is too long is refused like any other bad line.
reply put_products(services& with, const call& c);
reply put_sales(services& with, const call& c);

}  // namespace floodgate::api
