// WeChat Pay, native pay: the buyer scans a QR code.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "pay/channel.hpp"

namespace floodgate::store {
class http_caller;
}

namespace floodgate::pay {

// As in the configuration, [pay.wechat].
struct wechat_files {
    std::string mch_id, app_id;
    std::string serial;  // of the merchant's certificate
    std::string private_key_file, apiv3_key_file;
    std::string base;  // an address without a path
    std::string notify_url;
    std::map<std::string, std::string> platform_keys;  // serial: file
    bool sandbox = false;                              // keys of `floodgate sandbox` are allowed
};

// Throws key_error or std::invalid_argument, with a sentence that says how to mend it.
std::unique_ptr<channel> open_wechat(const wechat_files& files, store::http_caller& by,
                                     const floodgate::clock& clock);

}  // namespace floodgate::pay
