#include "sandbox/party_files.hpp"

#include "pay/new_keys.hpp"

namespace floodgate::sandbox {
namespace {

void require(const std::string& value, const char* name) {
    if (value.empty()) throw pay::key_error(std::string("the sandbox needs ") + name + ": set it");
}

alipay_party load_alipay(const alipay_files& f) {
    require(f.app_id, "pay.alipay.app_id");
    require(f.seller_id, "pay.alipay.seller_id");
    require(f.merchant_public_key_file, "sandbox.alipay.merchant_public_key_file");
    require(f.platform_private_key_file, "sandbox.alipay.platform_private_key_file");
    return {f.app_id, f.seller_id, pay::public_key::from_file(f.merchant_public_key_file),
            pay::private_key::from_file(f.platform_private_key_file)};
}

std::pair<std::string, pay::public_key> load_merchant(const wechat_files& f) {
    pay::public_key key = pay::public_key::from_file(f.merchant_certificate_file);
    std::string serial = f.merchant_serial.empty() ? key.certificate_serial() : f.merchant_serial;
    require(serial, "the serial of the merchant's certificate (pay.wechat.serial)");
    return {std::move(serial), std::move(key)};
}

wechat_party load_wechat(const wechat_files& f) {
    require(f.mch_id, "pay.wechat.mch_id");
    require(f.app_id, "pay.wechat.app_id");
    require(f.apiv3_key_file, "pay.wechat.apiv3_key_file");
    require(f.merchant_certificate_file, "sandbox.wechat.merchant_certificate_file");
    require(f.platform_private_key_file, "sandbox.wechat.platform_private_key_file");
    require(f.platform_serial, "sandbox.wechat.platform_serial");
    wechat_party who{
        f.mch_id,
        f.app_id,
        {load_merchant(f)},
        pay::apiv3_key::from_file(f.apiv3_key_file),
        {"", f.platform_serial, pay::private_key::from_file(f.platform_private_key_file)}};
    if (!f.second_platform_private_key_file.empty()) {
        require(f.second_platform_serial, "the serial of the second platform key");
        who.second_platform = {"", f.second_platform_serial,
                               pay::private_key::from_file(f.second_platform_private_key_file)};
    }
    if (!f.platform_certificate_file.empty())
        who.certificates.emplace(
            f.platform_serial,
            pay::read_key_file(f.platform_certificate_file, pay::key_secrecy::open_to_all));
    return who;
}

}  // namespace

parties load_parties(const std::optional<alipay_files>& alipay,
                     const std::optional<wechat_files>& wechat) {
    std::optional<alipay_party> at_alipay;
    std::optional<wechat_party> at_wechat;
    if (alipay) at_alipay = load_alipay(*alipay);
    if (wechat) at_wechat = load_wechat(*wechat);
    return {std::move(at_alipay), std::move(at_wechat),
            pay::private_key::from_text(pay::make_key_pair().private_pem)};
}

}  // namespace floodgate::sandbox
