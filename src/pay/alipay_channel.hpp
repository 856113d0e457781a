// Alipay, page pay: the buyer's browser goes to Alipay's cashier.

#pragma once

#include <memory>
#include <string>

#include "base/clock.hpp"
#include "pay/channel.hpp"

namespace floodgate::store {
class http_caller;
}

namespace floodgate::pay {

// As in the configuration, [pay.alipay].
struct alipay_files {
    std::string app_id, seller_id;
    std::string gateway;  // an address that ends in /gateway.do
    std::string private_key_file, platform_public_key_file;
    std::string notify_url, return_url;
    bool sandbox = false;  // keys of `floodgate sandbox` are allowed
};

// Throws key_error or std::invalid_argument, with a sentence that says how to mend it.
std::unique_ptr<channel> open_alipay(const alipay_files& files, store::http_caller& by,
                                     const floodgate::clock& clock);

}  // namespace floodgate::pay
