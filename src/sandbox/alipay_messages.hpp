// What Alipay tells the merchant by itself: the notify, and the address the buyer returns to.

#pragma once

#include <string>

#include "pay/form.hpp"
#include "sandbox/notify_schedule.hpp"
#include "sandbox/parties.hpp"

namespace floodgate::sandbox {

// About the state the trade is in, or about one refund of it.
notify alipay_notify(const alipay_party& who, const trade& t, const refund* r, instant now);

// The form of a try: with its time, signed.
std::string signed_alipay_form(const notify& n, const pay::private_key& by, instant now);

// The trade's return_url with signed parameters.
std::string alipay_return_address(const alipay_party& who, const trade& t, instant now);

std::string alipay_logon_id();  // of every buyer here, masked as Alipay does it

}  // namespace floodgate::sandbox
