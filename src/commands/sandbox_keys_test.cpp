#include "commands/sandbox_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/config_file.hpp"
#include "base/random_id.hpp"
#include "commands/private_files.hpp"
#include "pay/wechat_cipher.hpp"

namespace floodgate::commands {
namespace {

namespace fs = std::filesystem;

const instant some_day = from_ms(1'790'000'000'000);

class SandboxKeysTest : public testing::Test {
protected:
    ~SandboxKeysTest() override { fs::remove_all(place_); }

    std::string text_of(const std::string& file) {
        std::ifstream in(file);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    const fs::path place_ = fs::temp_directory_path() / ("sandbox-keys-" + random_id());
};

TEST_F(SandboxKeysTest, TheFirstStartMakesKeysThatOnlyTheirOwnerReads) {
    const sandbox_keys made = keep_sandbox_keys(place_, some_day);
    std::set<std::string> names;
    for (const auto& file : fs::directory_iterator(place_ / "keys")) {
        names.insert(file.path().filename());
        EXPECT_EQ(file.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
    }
    EXPECT_EQ(names.size(), 9U);
    EXPECT_EQ(fs::status(place_).permissions(), fs::perms::owner_all);
    EXPECT_EQ(fs::status(place_ / "keys").permissions(), fs::perms::owner_all);
    const sandbox::parties who = sandbox::load_parties(made.alipay, made.wechat);
    EXPECT_TRUE(
        matches(pay::private_key::from_file(made.alipay_private_key_file), who.alipay->merchant));
    EXPECT_TRUE(matches(who.alipay->platform,
                        pay::public_key::from_file(made.alipay_platform_public_key_file)));
    EXPECT_TRUE(matches(pay::private_key::from_file(made.wechat_private_key_file),
                        who.wechat->merchant.at(made.wechat.merchant_serial)));
    EXPECT_TRUE(matches(who.wechat->platform.key,
                        pay::public_key::from_file(made.wechat_platform_certificate_file)));
}

TEST_F(SandboxKeysTest, AShopKnowsThatTheyAreWorthNothing) {
    const sandbox_keys made = keep_sandbox_keys(place_, some_day);
    const auto own = [](const std::string& file) {
        return pay::private_key::from_file(file).is_from_sandbox();
    };
    const auto theirs = [](const std::string& file) {
        return pay::public_key::from_file(file).is_from_sandbox();
    };
    EXPECT_TRUE(own(made.alipay_private_key_file));
    EXPECT_TRUE(theirs(made.alipay_platform_public_key_file));
    EXPECT_TRUE(own(made.wechat_private_key_file));
    EXPECT_TRUE(theirs(made.wechat_platform_certificate_file));
    EXPECT_TRUE(pay::apiv3_key::from_file(made.wechat.apiv3_key_file).is_from_sandbox());
}

TEST_F(SandboxKeysTest, ALaterStartKeepsThem) {
    const sandbox_keys made = keep_sandbox_keys(place_, some_day);
    const std::string before = text_of(made.alipay_private_key_file);
    const sandbox_keys again = keep_sandbox_keys(place_, some_day + std::chrono::hours(24));
    EXPECT_EQ(text_of(again.alipay_private_key_file), before);
    EXPECT_EQ(again.wechat.merchant_serial, made.wechat.merchant_serial);
}

TEST_F(SandboxKeysTest, WhatAnInterruptedStartLeftIsNotUsed) {
    fs::create_directories(place_ / "keys.new");
    std::ofstream(place_ / "keys.new/alipay_merchant.pem") << "half a key";
    const sandbox_keys made = keep_sandbox_keys(place_, some_day);
    EXPECT_NO_THROW(pay::private_key::from_file(made.alipay_private_key_file));
    EXPECT_FALSE(fs::exists(place_ / "keys.new"));
}

TEST_F(SandboxKeysTest, TheMerchantsConfigurationIsTomlWithAbsolutePaths) {
    const sandbox_keys made = keep_sandbox_keys(place_, some_day);
    const std::string file = place_ / "merchant.toml";
    write_private_file(file, merchant_configuration(made, {.sandbox = "http://127.0.0.1:8090",
                                                           .shop = "http://127.0.0.1:8080"}));
    config_file toml(file);
    std::string gateway, key, platform_key, notify;
    toml.read("pay.alipay.gateway", gateway);
    toml.read("pay.alipay.private_key_file", key);
    toml.read("pay.wechat.platform_keys." + made.wechat.platform_serial, platform_key);
    toml.read("pay.wechat.notify_url", notify);
    EXPECT_EQ(gateway, "http://127.0.0.1:8090/gateway.do");
    EXPECT_EQ(key, made.alipay_private_key_file);
    EXPECT_TRUE(fs::path(key).is_absolute());
    EXPECT_EQ(platform_key, made.wechat_platform_certificate_file);
    EXPECT_EQ(notify, "http://127.0.0.1:8080/api/v1/payments/wechat/notify");
}

TEST_F(SandboxKeysTest, APlaceThatCannotBeWrittenIsNamed) {
    std::ofstream(place_) << "a file";
    try {
        keep_sandbox_keys(place_, some_day);
        FAIL() << "it was taken";
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), testing::StartsWith(place_.string()));
    }
}

}  // namespace
}  // namespace floodgate::commands
