// What payment channels call by themselves, and where they send buyers back to.
//
// Anybody can make these calls. A message that is refused changes nothing, is kept within bounds
// (ledger/message_book.hpp), is logged as a security event without anything of its content, and is
// charged to its address. Good ones are not charged: a channel sends one for every paid order, from
// few addresses.

#pragma once

#include "api/services.hpp"

namespace floodgate::api {

// The body as it came -> the answer that the channel wants; 404: this channel is not in use.
reply take_alipay_message(services& with, const call& c);
reply take_wechat_message(services& with, const call& c);

// A signed {"order_no","amount_fen"} of the shop's own checkout -> 200 {"status":"paid"}, also when
// it comes again; 400 bad_request, 401 bad_signature, 404 not_found, 409 other_amount, 409
// late_payment (the order was given up before; the shop is told to refund), 413 payload_too_large,
// 415 unsupported_media_type, 503 busy (not entered: to be sent again). 404: not in use.
reply take_external_message(services& with, const call& c);

// The buyer's browser, sent by Alipay with signed words in the query -> 303 to the order, or to /
// if the words are not Alipay's. Settles nothing.
reply return_from_alipay(services& with, const call& c);

}  // namespace floodgate::api
