#include "sandbox/party_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pay/test_data.hpp"

namespace floodgate::sandbox {
namespace {

using testing::HasSubstr;

class PartyFilesTest : public testing::Test {
protected:
    PartyFilesTest() {
        std::string pattern = std::filesystem::temp_directory_path() / "floodgate-parties-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory");
        directory_ = pattern;
        alipay = {"app", "seller", copy("merchant.public.pem"), copy("platform.pkcs8.pem")};
        wechat = {"mch",
                  "app",
                  copy("apiv3_key.txt"),
                  copy("merchant.certificate.pem"),
                  "",
                  copy("platform.pkcs8.pem"),
                  "SERIAL",
                  copy("platform.certificate.pem"),
                  copy("other.pkcs8.pem"),
                  "SECOND"};
    }
    ~PartyFilesTest() override { std::filesystem::remove_all(directory_); }

    std::string fault() {
        try {
            static_cast<void>(load_parties(alipay, wechat));
        } catch (const pay::key_error& e) {
            return e.what();
        }
        return {};
    }

    alipay_files alipay;
    wechat_files wechat;

private:
    std::string copy(const std::string& name) {
        const std::filesystem::path to = directory_ / name;
        std::ofstream(to) << pay::test_data("test_only_" + name);
        std::filesystem::permissions(to, std::filesystem::perms::owner_read);
        return to;
    }

    std::filesystem::path directory_;
};

TEST_F(PartyFilesTest, BothPartiesAreLoaded) {
    const parties all = load_parties(alipay, wechat);
    ASSERT_TRUE(all.alipay && all.wechat);
    EXPECT_TRUE(matches(pay::test_private_key("merchant"), all.alipay->merchant));
    EXPECT_EQ(all.wechat->merchant.begin()->first, pay::test_line("test_only_merchant.serial.txt"));
    EXPECT_EQ(all.wechat->platform.serial, "SERIAL");
    EXPECT_EQ(all.wechat->second_platform->serial, "SECOND");
    EXPECT_EQ(all.wechat->certificates.count("SERIAL"), 1U);
    EXPECT_FALSE(matches(all.stranger, all.alipay->platform.public_half()));
    EXPECT_FALSE(load_parties(alipay, std::nullopt).wechat);
}

TEST_F(PartyFilesTest, WhatIsMissingIsNamed) {
    alipay.seller_id.clear();
    EXPECT_EQ(fault(), "the sandbox needs pay.alipay.seller_id: set it");
    alipay.seller_id = "seller";
    wechat.platform_serial.clear();
    EXPECT_THAT(fault(), HasSubstr("sandbox.wechat.platform_serial"));
    wechat.platform_serial = "SERIAL";
    wechat.second_platform_serial.clear();
    EXPECT_THAT(fault(), HasSubstr("second platform key"));
    wechat.second_platform_serial = "SECOND";
    wechat.merchant_certificate_file = alipay.merchant_public_key_file;
    EXPECT_THAT(fault(), HasSubstr("pay.wechat.serial")) << "a bare key has no serial";
    wechat.merchant_serial = "MINE";
    EXPECT_EQ(fault(), "");
    wechat.apiv3_key_file = "/nonexistent/key";
    EXPECT_THAT(fault(), HasSubstr("/nonexistent/key"));
}

}  // namespace
}  // namespace floodgate::sandbox
