#include "engine/pay_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "engine/settings.hpp"
#include "ledger/ledger_fixture.hpp"
#include "pay/new_keys.hpp"
#include "pay/test_data.hpp"
#include "store/http/http_caller.hpp"

namespace floodgate::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct nobody_answers final : store::http_caller {
    store::http_answer ask(const store::http_question&) override { return {}; }
};

class PaySettingsTest : public testing::Test {
protected:
    settings read(const std::string& text) {
        std::ofstream(directory_.file("floodgate.toml")) << text;
        return read_settings(directory_.file("floodgate.toml"));
    }
    std::string complaint(const std::string& text) {
        try {
            (void)read(text);
        } catch (const config_error& e) {
            return e.what();
        }
        return "";
    }
    // A file with a key of the tests, which its owner alone may read.
    std::string key(const std::string& name) {
        const std::string path = directory_.file(name);
        std::ofstream(path) << pay::test_data(name);
        fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
        return path;
    }
    std::string alipay(const std::string& host = "https://openapi.alipay.com") {
        return fmt::format(
            "[pay.alipay]\napp_id = \"2021\"\nseller_id = \"2088\"\n"
            "gateway = \"{}/gateway.do\"\nprivate_key_file = \"{}\"\n"
            "platform_public_key_file = \"{}\"\n"
            "notify_url = \"https://shop.example/notify\"\n"
            "return_url = \"https://shop.example/return\"\n",
            host, key("test_only_merchant.pkcs8.pem"), key("test_only_platform.public.pem"));
    }
    std::string wechat(const std::string& host = "https://api.mch.weixin.qq.com") {
        return fmt::format(
            "[pay.wechat]\nmch_id = \"1900\"\napp_id = \"wx1\"\nserial = \"{}\"\n"
            "private_key_file = \"{}\"\napiv3_key_file = \"{}\"\nbase = \"{}\"\n"
            "notify_url = \"https://shop.example/notify\"\nplatform_keys = {{ \"{}\" = \"{}\" }}\n",
            pay::test_line("test_only_merchant.serial.txt"), key("test_only_merchant.pkcs8.pem"),
            key("test_only_apiv3_key.txt"), host, pay::test_line("test_only_platform.serial.txt"),
            key("test_only_platform.certificate.pem"));
    }
    std::string external(const std::string& host = "https://shop.example") {
        const std::string secret = directory_.file("external.secret");
        std::ofstream(secret) << std::string(32, 's') << "\n";
        fs::permissions(secret, fs::perms::owner_read | fs::perms::owner_write);
        return fmt::format(
            "[pay.external]\ncheckout_url = \"{}/cashier\"\nwebhook_url = \"{}/floodgate\"\n"
            "secret_file = \"{}\"\n",
            host, host, secret);
    }
    static std::string without(std::string text, const std::string& option) {
        const std::size_t from = text.find("\n" + option + " = ") + 1;
        return text.erase(from, text.find('\n', from) + 1 - from);
    }
    std::string trouble_opening(const pay_settings& s) {
        pay::channels to;
        try {
            open_channels(s, nobody_, clock_, to);
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "";
    }

    ledger::scratch_directory directory_;
    nobody_answers nobody_;
    manual_clock clock_{ledger::noon};
};

TEST_F(PaySettingsTest, AChannelThatIsNotConfiguredIsNotInUse) {
    const settings s = read("[pay]\nsandbox = true\n[pay.alipay]\napp_id = \"\"\n");
    EXPECT_TRUE(s.pay.sandbox);
    EXPECT_FALSE(s.pay.alipay);
    EXPECT_FALSE(s.pay.wechat);
    pay::channels none;
    open_channels(s.pay, nobody_, clock_, none);
    EXPECT_TRUE(none.all().empty());
}

TEST_F(PaySettingsTest, BothChannelsAreOpenedWithTheirKeys) {
    const settings s = read(alipay() + wechat());
    EXPECT_FALSE(s.pay.sandbox);
    EXPECT_EQ(s.pay.alipay.value().gateway, "https://openapi.alipay.com/gateway.do");
    EXPECT_EQ(s.pay.wechat.value().platform_keys.size(), 1U);
    pay::channels to;
    open_channels(s.pay, nobody_, clock_, to);
    ASSERT_EQ(to.all().size(), 2U);
    EXPECT_TRUE(to.find("alipay")->sends_messages());
    EXPECT_TRUE(to.find("wechat")->sends_messages());
}

TEST_F(PaySettingsTest, KeysThatAreSecretAreJudgedLikeOtherSecretFiles) {
    EXPECT_THAT(read(alipay() + wechat()).secret_files,
                ElementsAre(EndsWith("merchant.pkcs8.pem"), EndsWith("apiv3_key.txt")));
    EXPECT_THAT(read("").secret_files, IsEmpty());
}

TEST_F(PaySettingsTest, TheShopsOwnCheckoutIsOpenedWithItsSecret) {
    const settings s = read(external());
    EXPECT_THAT(s.secret_files, ElementsAre(EndsWith("external.secret")));
    EXPECT_EQ(s.pay.external.value().checkout_url, "https://shop.example/cashier");
    pay::channels to;
    open_channels(s.pay, nobody_, clock_, to);
    ASSERT_NE(to.find("external"), nullptr);
    EXPECT_TRUE(to.find("external")->sends_messages());
    for (const char* option : {"checkout_url", "webhook_url", "secret_file"})
        EXPECT_THAT(complaint(without(external(), option)),
                    EndsWith(std::string("[pay.external] also needs ") + option));
    EXPECT_THAT(complaint(external("http://127.0.0.1:8081")),
                HasSubstr("pay.external.checkout_url is an address of this machine"));
    EXPECT_EQ(complaint("[pay]\nsandbox = true\n" + external("http://127.0.0.1:8081")), "");
    fs::permissions(s.pay.external->secret_file, fs::perms::group_read, fs::perm_options::add);
    EXPECT_THAT(trouble_opening(s.pay), HasSubstr("pay.external.secret_file"));
    EXPECT_THAT(trouble_opening(s.pay), HasSubstr("chmod 600"));
}

TEST_F(PaySettingsTest, TheSecretOfTheShopsOwnCheckoutMayBeChanged) {
    const std::string old = directory_.file("old.secret");
    std::ofstream(old) << std::string(32, 'o') << "\n";
    fs::permissions(old, fs::perms::owner_read | fs::perms::owner_write);
    const std::string line = "old_secret_file = \"" + old + "\"\n";
    const settings s = read(external() + line);
    EXPECT_THAT(s.secret_files, ElementsAre(EndsWith("external.secret"), EndsWith("old.secret")));
    EXPECT_EQ(trouble_opening(s.pay), "");
    EXPECT_THAT(complaint("[pay.external]\n" + line),
                EndsWith("[pay.external] also needs checkout_url, webhook_url, secret_file"));
    EXPECT_EQ(complaint(external() + "old_secret_file = \"\"\n"), "");
    fs::permissions(old, fs::perms::group_read, fs::perm_options::add);
    EXPECT_THAT(trouble_opening(s.pay), HasSubstr("pay.external.old_secret_file"));
    EXPECT_THAT(trouble_opening(s.pay), HasSubstr("chmod 600"));
}

TEST_F(PaySettingsTest, WhatIsMissingIsNamed) {
    EXPECT_THAT(complaint("[pay.alipay]\napp_id = \"1\"\ngateway = \"https://a.example/\"\n"),
                HasSubstr("[pay.alipay] also needs seller_id, private_key_file, "
                          "platform_public_key_file, notify_url, return_url"));
    for (const char* option : {"app_id", "seller_id", "gateway", "private_key_file",
                               "platform_public_key_file", "notify_url", "return_url"})
        EXPECT_THAT(complaint(without(alipay(), option)),
                    EndsWith(std::string("[pay.alipay] also needs ") + option));
    for (const char* option : {"mch_id", "app_id", "serial", "private_key_file", "apiv3_key_file",
                               "base", "notify_url", "platform_keys"})
        EXPECT_THAT(complaint(without(wechat(), option)),
                    EndsWith(std::string("[pay.wechat] also needs ") + option));
}

TEST_F(PaySettingsTest, UnknownOptionsAreRefused) {
    EXPECT_THAT(complaint(alipay() + "sign_type = \"RSA2\"\n"),
                HasSubstr("unknown option pay.alipay.sign_type"));
    EXPECT_THAT(complaint("[pay.paypal]\nid = \"1\"\n"), HasSubstr("unknown option pay.paypal.id"));
    EXPECT_THAT(complaint("[sandbox.alipay]\nkey = \"1\"\n"),
                HasSubstr("unknown option sandbox.alipay.key"));
}

TEST_F(PaySettingsTest, TheOtherSideMayBeDescribedInTheSameFile) {
    EXPECT_EQ(complaint("[sandbox.alipay]\nmerchant_public_key_file = \"a\"\n"
                        "platform_private_key_file = \"b\"\n[sandbox.wechat]\n"
                        "merchant_certificate_file = \"c\"\nplatform_private_key_file = \"d\"\n"
                        "platform_serial = \"e\"\n"),
              "");
}

TEST_F(PaySettingsTest, AddressesOfATrialNeedTheWordSandbox) {
    for (const char* host : {"http://127.0.0.1:8081", "http://localhost:8081",
                             "https://openapi-sandbox.dl.alipaydev.com"}) {
        EXPECT_THAT(complaint(alipay(host)), HasSubstr("pay.alipay.gateway is an address of"));
        EXPECT_EQ(complaint("[pay]\nsandbox = true\n" + alipay(host)), "");
    }
    EXPECT_THAT(complaint(wechat("http://192.168.0.7:80")),
                HasSubstr("pay.wechat.base is an address of this machine"));
    EXPECT_EQ(complaint("[pay]\nsandbox = true\n" + wechat("http://192.168.0.7:80")), "");
}

TEST_F(PaySettingsTest, KeysOfATrialNeedTheWordSandbox) {
    const std::string text = alipay() + wechat();
    std::ofstream(directory_.file("test_only_merchant.pkcs8.pem"))
        << pay::make_key_pair().private_pem;
    EXPECT_THAT(trouble_opening(read(text).pay),
                StartsWith("pay.alipay.private_key_file holds a test key"));
    EXPECT_EQ(trouble_opening(read("[pay]\nsandbox = true\n" + text).pay), "");
    const pay_settings wechat_alone = read(text.substr(text.find("[pay.wechat]"))).pay;
    EXPECT_THAT(trouble_opening(wechat_alone),
                StartsWith("pay.wechat.private_key_file holds a test key"));
}

TEST_F(PaySettingsTest, AKeyThatIsNotGoodIsNamedInOneLine) {
    settings s = read(alipay() + wechat());
    pay_settings wrong = s.pay;
    wrong.alipay->private_key_file = key("test_only_short.pkcs8.pem");
    EXPECT_THAT(trouble_opening(wrong), HasSubstr("short.pkcs8.pem"));
    wrong = s.pay;
    wrong.wechat->private_key_file = directory_.file("none.pem");
    EXPECT_THAT(trouble_opening(wrong), HasSubstr("none.pem"));
    wrong = s.pay;
    fs::permissions(wrong.wechat->apiv3_key_file, fs::perms::others_read, fs::perm_options::add);
    EXPECT_THAT(trouble_opening(wrong), HasSubstr("apiv3_key.txt"));
    EXPECT_THAT(trouble_opening(wrong), testing::Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace floodgate::engine
