// Who the sandbox plays, and for whom: one merchant at each channel. The platforms' private keys
// are the other side of what the merchant's configuration names.

#pragma once

#include <optional>
#include <string>

#include "pay/keys.hpp"
#include "pay/wechat_cipher.hpp"
#include "pay/wechat_text.hpp"

namespace floodgate::sandbox {

struct alipay_party {
    std::string app_id;
    std::string seller_id;
    pay::public_key merchant;
    pay::private_key platform;
};

struct wechat_party {
    std::string mch_id;
    std::string app_id;
    pay::keys_by_serial merchant;  // by the serials of its certificates, in upper case
    pay::apiv3_key apiv3;
    pay::wechat_signer platform;
    std::optional<pay::wechat_signer> second_platform{};  // for a change of keys
    // Serial and PEM of the platform's certificates, for GET /v3/certificates. May be empty.
    std::map<std::string, std::string> certificates{};
};

// A channel that is missing is not served.
struct parties {
    std::optional<alipay_party> alipay;
    std::optional<wechat_party> wechat;
    pay::private_key stranger;  // signs what must not be believed
};

}  // namespace floodgate::sandbox
