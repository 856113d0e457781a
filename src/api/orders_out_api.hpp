// Orders for the shop's staff and its other systems: searching, one order's story, the feed.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// ?sale_id &product_id &round_id &buyer_id &phone &status &method &from &to &after=ORDER_NO
// &before=ORDER_NO &limit=1..500 (50) -> {orders: [{order, buyer_id}], next_before}, newest first
reply search_orders(services& with, const call& c);

// -> {order, buyer_id, lines: [{at, kind, ...}]}: all that is known of it, in order of time
reply get_order_history(services& with, const call& c);

// ?after=0.. (0) &limit=1..1000 (100) -> {events, next_after}: what happened to orders, and alerts,
// after that number. 410 with `first_id`: events that the caller has not seen were deleted.
reply list_events(services& with, const call& c);

}  // namespace floodgate::api
