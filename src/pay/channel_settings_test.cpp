// What the two channels say when their configuration is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "pay/channel_fixture.hpp"
#include "pay/new_keys.hpp"
#include "pay/test_address.hpp"
#include "pay/test_data.hpp"
#include "pay/wechat_cipher.hpp"

namespace floodgate::pay {
namespace {

using testing::HasSubstr;

class ChannelSettingsTest : public testing::Test {
protected:
    std::string fault_of_alipay() {
        return fault([&] { open_alipay(alipay, net, clock); });
    }
    std::string fault_of_wechat() {
        return fault([&] { open_wechat(wechat, net, clock); });
    }
    template <class Open>
    static std::string fault(Open open) {
        try {
            open();
        } catch (const key_error& e) {
            return e.what();
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "";
    }

    key_directory keys;
    scripted_caller net;
    manual_clock clock{from_ms(0)};
    alipay_files alipay = keys.alipay();
    wechat_files wechat = keys.wechat();
};

TEST_F(ChannelSettingsTest, CompleteSettingsAreAccepted) {
    EXPECT_EQ(fault_of_alipay(), "");
    EXPECT_EQ(fault_of_wechat(), "");
    alipay.return_url = "";  // Alipay does not need it
    EXPECT_EQ(fault_of_alipay(), "");
    wechat.base = "https://api.mch.weixin.qq.com/";
    EXPECT_EQ(fault_of_wechat(), "");
}

TEST_F(ChannelSettingsTest, AnEmptySettingOfAlipayIsNamed) {
    const std::pair<const char*, std::string alipay_files::*> all[] = {
        {"app_id", &alipay_files::app_id},
        {"seller_id", &alipay_files::seller_id},
        {"gateway", &alipay_files::gateway},
        {"private_key_file", &alipay_files::private_key_file},
        {"platform_public_key_file", &alipay_files::platform_public_key_file},
        {"notify_url", &alipay_files::notify_url}};
    for (const auto& [name, member] : all) {
        alipay = keys.alipay();
        alipay.*member = "";
        EXPECT_EQ(fault_of_alipay(), std::string("pay.alipay.") + name + " is empty: set it");
    }
}

TEST_F(ChannelSettingsTest, AnEmptySettingOfWechatIsNamed) {
    const std::pair<const char*, std::string wechat_files::*> all[] = {
        {"mch_id", &wechat_files::mch_id},
        {"app_id", &wechat_files::app_id},
        {"serial", &wechat_files::serial},
        {"private_key_file", &wechat_files::private_key_file},
        {"apiv3_key_file", &wechat_files::apiv3_key_file},
        {"base", &wechat_files::base},
        {"notify_url", &wechat_files::notify_url}};
    for (const auto& [name, member] : all) {
        wechat = keys.wechat();
        wechat.*member = "";
        EXPECT_EQ(fault_of_wechat(), std::string("pay.wechat.") + name + " is empty: set it");
    }
    wechat = keys.wechat();
    wechat.platform_keys.clear();
    EXPECT_THAT(fault_of_wechat(), HasSubstr("pay.wechat.platform_keys is empty"));
}

TEST_F(ChannelSettingsTest, AnAddressMustBeOne) {
    alipay.gateway = "openapi.alipay.com/gateway.do";
    EXPECT_THAT(fault_of_alipay(), HasSubstr("pay.alipay.gateway is not an absolute http"));
    alipay.gateway = "ftp://openapi.alipay.com/";
    EXPECT_THAT(fault_of_alipay(), HasSubstr("pay.alipay.gateway is not an http"));
    wechat.base = "https://me:hush@api.mch.weixin.qq.com";
    EXPECT_THAT(fault_of_wechat(), HasSubstr("pay.wechat.base holds a user name or password"));
    EXPECT_EQ(fault_of_wechat().find("hush"), std::string::npos);
    wechat.base = "https://api.mch.weixin.qq.com/v3";
    EXPECT_THAT(fault_of_wechat(), HasSubstr("pay.wechat.base has a path"));
    wechat = keys.wechat();
    wechat.notify_url = "https://shop.example/notify?a=b";
    EXPECT_THAT(fault_of_wechat(), HasSubstr("pay.wechat.notify_url has a query"));
    wechat.notify_url = "https://shop.example/" + std::string(300, 'a');
    EXPECT_THAT(fault_of_wechat(), HasSubstr("longer than 255 characters"));
}

TEST_F(ChannelSettingsTest, ThePlatformsKeyIsNotTheMerchants) {
    alipay.platform_public_key_file = keys.copy("merchant.public.pem");
    EXPECT_THAT(fault_of_alipay(), HasSubstr("holds the merchant's own public key"));
    wechat.platform_keys = {{"PUB_KEY_ID_1", keys.copy("merchant.certificate.pem")}};
    EXPECT_THAT(fault_of_wechat(), HasSubstr("PUB_KEY_ID_1 is the merchant's own key"));
    wechat.platform_keys = {{wechat.serial, keys.copy("platform.public.pem")}};
    EXPECT_THAT(fault_of_wechat(), HasSubstr("the serial of the merchant's own certificate"));
}

TEST_F(ChannelSettingsTest, ACertificateStandsUnderItsOwnSerial) {
    const std::string file = keys.copy("platform.certificate.pem");
    const std::string serial = test_line("test_only_platform.serial.txt");
    wechat.platform_keys = {{"00" + serial, file}};
    EXPECT_EQ(fault_of_wechat(), "");
    wechat.platform_keys = {{"ABCDEF", file}};
    EXPECT_THAT(fault_of_wechat(), HasSubstr("ABCDEF names a certificate whose serial is"));
    EXPECT_THAT(fault_of_wechat(), HasSubstr(serial));
}

TEST_F(ChannelSettingsTest, KeyFilesAreChecked) {
    std::filesystem::permissions(alipay.private_key_file, std::filesystem::perms::group_read,
                                 std::filesystem::perm_options::add);
    EXPECT_THAT(fault_of_alipay(), HasSubstr("chmod 600"));
    alipay.private_key_file = keys.copy("short.pkcs8.pem");
    EXPECT_THAT(fault_of_alipay(), HasSubstr("too few"));
    alipay.private_key_file = keys.copy("merchant.public.pem");
    EXPECT_THAT(fault_of_alipay(), HasSubstr("where a private key belongs"));
    alipay.private_key_file = "missing.pem";
    EXPECT_THAT(fault_of_alipay(), HasSubstr("missing.pem"));
    wechat = keys.wechat();
    wechat.apiv3_key_file = keys.write("short_key", "0123456789");
    EXPECT_THAT(fault_of_wechat(), HasSubstr("32"));
}

// The two halves of a pair as files, which lie in a real shop's settings by mistake.
TEST_F(ChannelSettingsTest, KeysOfTheSandboxNeedTheWordSandbox) {
    const key_pair_pem made = make_key_pair();
    const std::string own = keys.write("sandbox.pem", made.private_pem);
    const std::string open = keys.write("sandbox_public.pem", made.public_pem);
    const std::string shared = keys.write(
        "sandbox_apiv3", std::string(sandbox_apiv3_prefix) + std::string(16, 'x') + "\n");
    const auto expect_refused = [](const std::string& fault, const std::string& option) {
        EXPECT_THAT(fault, testing::StartsWith(option + " holds a test key")) << option;
        EXPECT_THAT(fault, HasSubstr("pay.sandbox = true"));
    };
    const auto expect_alipay = [&](const char* option, std::string alipay_files::*which,
                                   const std::string& file) {
        alipay = keys.alipay();
        alipay.*which = file;
        expect_refused(fault_of_alipay(), option);
        alipay.sandbox = true;
        EXPECT_EQ(fault_of_alipay(), "");
    };
    expect_alipay("pay.alipay.private_key_file", &alipay_files::private_key_file, own);
    expect_alipay("pay.alipay.platform_public_key_file", &alipay_files::platform_public_key_file,
                  open);

    const auto expect_wechat = [&](const std::string& option, const auto& change) {
        wechat = keys.wechat();
        change();
        expect_refused(fault_of_wechat(), option);
        wechat.sandbox = true;
        EXPECT_EQ(fault_of_wechat(), "");
    };
    expect_wechat("pay.wechat.private_key_file", [&] { wechat.private_key_file = own; });
    expect_wechat("pay.wechat.apiv3_key_file", [&] { wechat.apiv3_key_file = shared; });
    expect_wechat("pay.wechat.platform_keys PUB_KEY_ID_1",
                  [&] { wechat.platform_keys["PUB_KEY_ID_1"] = open; });
}

TEST(TestAddress, TableOfAddresses) {
    for (const char* url :
         {"http://127.0.0.1:9000/gateway.do", "http://localhost", "http://[::1]:1/",
          "http://10.0.0.1", "http://sandbox:80/",
          "https://openapi-sandbox.dl.alipaydev.com/gateway.do",
          "https://openapi.alipaydev.com/gateway.do", "https://OPENAPI.ALIPAYDEV.COM/gateway.do"})
        EXPECT_TRUE(is_test_address(url)) << url;
    for (const char* url :
         {"https://openapi.alipay.com/gateway.do", "https://api.mch.weixin.qq.com",
          "https://notalipaydev.com/", "https://shop.example.com/alipaydev.com", "", "no address"})
        EXPECT_FALSE(is_test_address(url)) << url;
}

}  // namespace
}  // namespace floodgate::pay
