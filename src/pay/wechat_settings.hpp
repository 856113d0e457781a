// What open_wechat reads from the configuration and its files.

#pragma once

#include <string>

#include "pay/wechat_channel.hpp"
#include "pay/wechat_cipher.hpp"
#include "pay/wechat_client.hpp"

namespace floodgate::pay {

struct wechat_settings {
    wechat_account account;
    std::string app_id, notify_url;
    apiv3_key shared;
};

// Throws key_error or std::invalid_argument, with a sentence that says how to mend it.
wechat_settings load_wechat_settings(const wechat_files& files);

}  // namespace floodgate::pay
