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

// The buyer's browser, sent by Alipay with signed words in the query -> 303 to the order, or to /
// if the words are not Alipay's. Settles nothing.
reply return_from_alipay(services& with, const call& c);

}  // namespace floodgate::api
