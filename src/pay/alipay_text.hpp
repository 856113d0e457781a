// Alipay's signatures (gateway v1, RSA2) of what is sent as parameters: requests by the merchant,
// notifies and returns by Alipay. Responses have rules of their own: see alipay_response.hpp.
//
// Values are decoded ones, exactly as sent. Parameters are joined in byte order as "a=1&b=2";
// `sign` and empty values are left out. Requests sign `sign_type`, notifies and returns do not.

#pragma once

#include <string>
#include <string_view>

#include "pay/authenticity.hpp"
#include "pay/form.hpp"
#include "pay/keys.hpp"

namespace floodgate::pay {

// The string that is signed. The sandbox shows it when a signature is wrong.
std::string alipay_request_text(const parameters& request);
std::string alipay_message_text(const parameters& message);  // a notify or a return

// Set sign_type and sign, and remove empty values: libraries disagree on whether to sign them.
void sign_alipay_request(parameters& request, const private_key& merchant);
void sign_alipay_message(parameters& message, const private_key& platform);

// malformed: a name with other characters than letters, digits and "_-." could move the border
// between name and value without changing the signed string. wrong_algorithm: only RSA2 counts,
// whatever the message says about itself.
//
// A return is signed by the same rule and key as a notify, and the buyer's browser sees it. So a
// genuine message is a notify only if it says so: check notify_type and trade_status.
authenticity verify_alipay_request(const parameters& request, const public_key& merchant);
authenticity verify_alipay_message(const parameters& message, const public_key& platform);

// Where the buyer's browser goes to pay: the gateway with the signed request as its query.
std::string alipay_page_address(std::string_view gateway, const parameters& signed_request);
// The same as a form that submits itself. biz_content is posted, the rest is in the address.
std::string alipay_page_form(std::string_view gateway, const parameters& signed_request);

}  // namespace floodgate::pay
