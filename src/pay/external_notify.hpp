// Reads a message with which the shop's own server says that an order is paid:
//
//   {"order_no":"382100000000000123","amount_fen":9900}
//
// signed as store/http/message_signature.hpp says.

#pragma once

#include <span>

#include "pay/channel.hpp"
#include "pay/shared_secret.hpp"

namespace floodgate::pay {

inline constexpr std::size_t external_notify_bytes_max = 4096;

// The faults, in the order in which they are looked for: wrong_content_type, too_long,
// without_signature, stale, bad_signature, malformed, other_order, bad_amount.
//
// Malformed is also what has any other field. Both sides sign with the same secret, and our own
// questions to the shop name an order and an amount too: sent back to us, they must say nothing.
//
// `secrets`: at least one; the message must be signed with one of them.
message read_external_notify(const raw_message& m, std::span<const shared_secret> secrets,
                             instant now);

}  // namespace floodgate::pay
