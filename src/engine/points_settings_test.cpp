#include "engine/points_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "engine/points_store.hpp"
#include "engine/settings.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::engine {
namespace {

using testing::Contains;
using testing::HasSubstr;

class PointsSettingsTest : public testing::Test {
protected:
    settings read(const std::string& lines) {
        const std::string path = directory_.file("floodgate.toml");
        std::ofstream(path) << "[points]\n" << lines;
        return read_settings(path);
    }
    std::string complaint(const std::string& lines) {
        try {
            (void)read(lines);
        } catch (const config_error& e) {
            return e.what();
        }
        return "";
    }
    std::string kept(const std::string& secret) {
        std::string path = directory_.file("secret");
        std::ofstream(path) << secret;
        return path;
    }
    std::string refusal_of(const std::string& secret) {
        try {
            (void)read_points_secret(kept(secret));
        } catch (const std::runtime_error& e) {
            return e.what();
        }
        return "";
    }

    ledger::scratch_directory directory_;
};

const std::string good_secret(32, 's');

TEST_F(PointsSettingsTest, ThePointsLiveHereUnlessAnAddressSaysOtherwise) {
    EXPECT_TRUE(read_settings("").points.enabled);
    EXPECT_FALSE(read_settings("").points.live_elsewhere());
    const settings s = read(
        "url = \"http://points:8085\"\nsecret_file = \"/run/secrets/points\"\n"
        "answer_within_ms = 700\n");
    EXPECT_TRUE(s.points.live_elsewhere());
    EXPECT_EQ(s.points.answer_within, milliseconds(700));
    EXPECT_THAT(s.secret_files, Contains("/run/secrets/points")) << "its mode is judged";
    EXPECT_FALSE(read("enabled = false\nurl = \"http://points:8085\"\nsecret_file = \"a\"\n")
                     .points.live_elsewhere());
}

TEST_F(PointsSettingsTest, AnAddressNeedsASecret) {
    EXPECT_THAT(complaint("url = \"http://points:8085\"\n"),
                HasSubstr("points.url needs points.secret_file"));
}

TEST_F(PointsSettingsTest, AnAddressMustMakeSenseAndKeepTheSecret) {
    const auto of = [&](const std::string& url) {
        return complaint("secret_file = \"a\"\nurl = \"" + url + "\"\n");
    };
    for (const char* url : {"points", "ftp://points", "http://me:pass@points", "http://points/?a=b",
                            "http://points/#a", "http://points.example.com"})
        EXPECT_THAT(of(url), HasSubstr("points.url ")) << url;
    for (const char* url : {"http://127.0.0.1:8085", "http://[::1]:8085/", "http://10.0.0.7/points",
                            "https://points.example.com"})
        EXPECT_EQ(of(url), "") << url;
}

TEST_F(PointsSettingsTest, ASecretIsTheFirstLineAndLongEnough) {
    EXPECT_EQ(read_points_secret(kept(good_secret)), good_secret);
    EXPECT_EQ(read_points_secret(kept(good_secret + "\nmore\n")), good_secret);
    EXPECT_EQ(read_points_secret(kept(std::string(256, 's'))).size(), 256U);
    for (const std::string& bad :
         {std::string(31, 's'), std::string(257, 's'), std::string(), std::string("\n"),
          std::string(20, 's') + " " + std::string(20, 's'), good_secret + "\t",
          good_secret + "\r\n", good_secret + "积"}) {
        const std::string said = refusal_of(bad);
        EXPECT_THAT(said, HasSubstr(directory_.file("secret")));
        EXPECT_EQ(said.find("sss"), std::string::npos) << "the secret is not told";
    }
    EXPECT_THROW((void)read_points_secret(directory_.file("nowhere")), std::runtime_error);
}

TEST_F(PointsSettingsTest, AShopStartsWithoutItsPoints) {
    settings s = read_settings("");
    s.points.url = "http://127.0.0.1:1";  // nobody listens there
    s.points.secret_file = kept(good_secret);
    points_store store(s);
    EXPECT_EQ(store.accounts()->balance_of({7}).error(), make_error_code(errc::store_unavailable));
    s.points.enabled = false;
    EXPECT_EQ(points_store(s).accounts(), nullptr);
}

}  // namespace
}  // namespace floodgate::engine
