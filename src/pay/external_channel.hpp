// The shop's own checkout, the method "external": Floodgate sends buyers to a page of the shop and
// asks a server of the shop. docs/payments.md, "Your own checkout", is the contract.
//
// Buyers get an address whose query is signed, so that the page can believe the amount:
//
//   <checkout_url>?order_no=N&amount_fen=F&expires_at=<unix seconds>&signature=<hex HMAC-SHA256 of
//   the query before "&signature=">
//
// While the secret is being changed there are two: everything that we send has a signature with
// each, the new one's first and a comma between them, and what the shop sends may have either.
//
// Questions are signed POSTs to webhook_url (store/http/message_signature.hpp):
//
//   {"event":"query","order_no":"N","amount_fen":F,"sent_at":"..."}  -> {"status":"open"}, or
//   {"event":"close", ... }                                             paid, closed, absent
//   {"event":"refund", ... ,"refund_no":"NR1","reason":"..."}        -> {"status":"refunded"} or
//                                                                       pending
//
// Anything but 200 with one of these words is unsure.

#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "pay/channel.hpp"

namespace floodgate::store {
class http_caller;
}

namespace floodgate::pay {

// As in the configuration, [pay.external].
struct external_files {
    std::string checkout_url;  // without a query
    std::string webhook_url;
    std::string secret_file;
    std::string old_secret_file{};  // while the secret is being changed; empty: it is not
};

inline constexpr std::size_t external_answer_bytes_max = 65'536;

// Throws key_error or std::invalid_argument, with a sentence that says how to mend it.
std::unique_ptr<channel> open_external(const external_files& files, store::http_caller& by,
                                       const floodgate::clock& clock);

}  // namespace floodgate::pay
