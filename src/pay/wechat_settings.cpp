#include "pay/wechat_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "pay/settings_check.hpp"

namespace floodgate::pay {
namespace {

std::string base_of(const wechat_files& files) {
    require_address(files.base, "pay.wechat.base");
    std::string base = files.base;
    while (base.ends_with('/')) base.pop_back();
    if (base.find_first_of("/?#", base.find("//") + 2) != std::string::npos)
        throw std::invalid_argument("pay.wechat.base has a path: write only https://host");
    return base;
}

// Certificates show serials with or without leading zeros, in either case.
std::string plain_serial(std::string serial) {
    std::ranges::transform(serial, serial.begin(), [](char c) {
        return c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    serial.erase(0, std::min(serial.find_first_not_of('0'), serial.size()));
    return serial;
}

void check_platform_key(const std::string& serial, const public_key& key, const wechat_files& files,
                        const private_key& merchant) {
    const std::string name = fmt::format("pay.wechat.platform_keys {}", serial);
    if (matches(merchant, key))
        throw std::invalid_argument(name +
                                    " is the merchant's own key: put WeChat Pay's platform "
                                    "certificate or public key there");
    if (serial == files.serial)
        throw std::invalid_argument(name +
                                    " has the serial of the merchant's own certificate: use "
                                    "the serial of WeChat Pay's");
    require_real_key(key, name, files.sandbox);
    if (key.certificate_serial().empty()) return;
    if (plain_serial(key.certificate_serial()) != plain_serial(serial))
        throw std::invalid_argument(
            fmt::format("{} names a certificate whose serial is {}: use that as the name", name,
                        key.certificate_serial()));
}

keys_by_serial load_platform_keys(const wechat_files& files, const private_key& merchant) {
    if (files.platform_keys.empty())
        throw std::invalid_argument(
            "pay.wechat.platform_keys is empty: name at least one platform certificate or public "
            "key by its serial");
    keys_by_serial all;
    for (const auto& [serial, file] : files.platform_keys) {
        require_text(serial, "a serial in pay.wechat.platform_keys");
        require_text(file, "pay.wechat.platform_keys " + serial);
        const public_key key = public_key::from_file(file);
        check_platform_key(serial, key, files, merchant);
        all.emplace(serial, key);
    }
    return all;
}

}  // namespace

wechat_settings load_wechat_settings(const wechat_files& files) {
    require_text(files.mch_id, "pay.wechat.mch_id");
    require_text(files.app_id, "pay.wechat.app_id");
    require_text(files.serial, "pay.wechat.serial");
    std::string base = base_of(files);
    require_callback(files.notify_url, "pay.wechat.notify_url");
    require_text(files.private_key_file, "pay.wechat.private_key_file");
    require_text(files.apiv3_key_file, "pay.wechat.apiv3_key_file");
    private_key merchant = private_key::from_file(files.private_key_file);
    require_real_key(merchant, "pay.wechat.private_key_file", files.sandbox);
    keys_by_serial platform = load_platform_keys(files, merchant);
    const apiv3_key shared = apiv3_key::from_file(files.apiv3_key_file);
    require_real_key(shared, "pay.wechat.apiv3_key_file", files.sandbox);
    return {.account = {.merchant = {files.mch_id, files.serial, std::move(merchant)},
                        .base = std::move(base),
                        .platform = std::move(platform)},
            .app_id = files.app_id,
            .notify_url = files.notify_url,
            .shared = shared};
}

}  // namespace floodgate::pay
