// The parties from key files, as the configuration names them.

#pragma once

#include <optional>
#include <string>

#include "sandbox/parties.hpp"

namespace floodgate::sandbox {

struct alipay_files {
    std::string app_id;
    std::string seller_id;
    std::string merchant_public_key_file;
    std::string platform_private_key_file;
};

struct wechat_files {
    std::string mch_id;
    std::string app_id;
    std::string apiv3_key_file;
    std::string merchant_certificate_file;  // or a bare public key, if the serial is given
    std::string merchant_serial;            // empty: the certificate's
    std::string platform_private_key_file;
    std::string platform_serial;
    std::string platform_certificate_file{};         // may be empty: no GET /v3/certificates
    std::string second_platform_private_key_file{};  // may be empty: the keys never change
    std::string second_platform_serial{};
};

// Makes a key that the merchant does not know, which takes a moment. Throws pay::key_error with a
// sentence that says how to mend it: a file, an id or a serial is missing, or a key is not good.
parties load_parties(const std::optional<alipay_files>& alipay,
                     const std::optional<wechat_files>& wechat);

}  // namespace floodgate::sandbox
