// L7 of the security review: keys and passwords that everybody on the machine can read.

#include "engine/secret_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::EndsWith;
using testing::IsEmpty;

class SecretFilesTest : public testing::Test {
protected:
    std::string put(const std::string& name, const std::string& text, unsigned mode) {
        const std::string path = directory_.file(name);
        std::ofstream(path) << text;
        fs::permissions(path, fs::perms(mode));
        return path;
    }
    settings read(const std::string& text, unsigned mode = 0600) {
        return read_settings(put("floodgate.toml", text, mode));
    }

    ledger::scratch_directory directory_;
};

TEST_F(SecretFilesTest, AConfigurationWithoutSecretsMayBeReadByAll) {
    EXPECT_THAT(exposed_secrets(read("node = 1\n", 0644)), IsEmpty());
    EXPECT_THAT(exposed_secrets(read_settings("")), IsEmpty());
}

TEST_F(SecretFilesTest, AConfigurationWithSecretsMayNot) {
    const std::string text = "[alarm]\nwebhook_secret = \"hush\"\n[redis]\npassword = \"hush\"\n";
    EXPECT_THAT(exposed_secrets(read(text, 0644)),
                ElementsAre(EndsWith(
                    "floodgate.toml can be read by every user of this machine (mode 0644)")))
        << "once, however many there are";
    EXPECT_THAT(exposed_secrets(read(text, 0640)), IsEmpty()) << "a group is the owner's choice";
}

TEST_F(SecretFilesTest, NeitherMayAFileThatHoldsASecretOrAKey) {
    const std::string secret = put("secret", "hush\n", 0604), key = put("key.pem", "key", 0644);
    const settings s = read("[edge]\ntls_key_file = \"" + key +
                            "\"\n[alarm]\nwebhook_secret_file = \"" + secret + "\"\n");
    EXPECT_THAT(exposed_secrets(s), ElementsAre(testing::HasSubstr("key.pem"),
                                                EndsWith("secret can be read by every user of "
                                                         "this machine (mode 0604)")));
}

TEST_F(SecretFilesTest, AreRefusedWhereTheConfigurationIsStrict) {
    EXPECT_NO_THROW(judge_secret_files(read("[redis]\npassword = \"hush\"\n", 0644)));
    EXPECT_THROW(
        judge_secret_files(read("[redis]\npassword = \"hush\"\n[cluster]\nstrict = true\n", 0644)),
        std::runtime_error);
}

// The nodes of deploy/compose.yaml are strict, and did not start: each reads the same file as a
// user of its own, so that everybody must be allowed to.
TEST_F(SecretFilesTest, WhatIsMountedIntoAContainerIsGuardedOutside) {
    const std::string secret = put("redis", "hush\n", 0644);
    const settings s =
        read("[redis]\npassword_file = \"" + secret + "\"\n[cluster]\nstrict = true\n");
    const std::string here = fs::path(secret).parent_path();
    EXPECT_NO_THROW(judge_secret_files(s, here));
    EXPECT_THROW(judge_secret_files(s), std::runtime_error);
    EXPECT_THROW(judge_secret_files(s, here + "/redi"), std::runtime_error) << "a part of a name";
    EXPECT_THROW(judge_secret_files(s, here + "/secrets"), std::runtime_error);
    EXPECT_THAT(exposed_secrets(s), testing::SizeIs(1)) << "it is still named";
}

TEST_F(SecretFilesTest, ALinkBesideTheMountedOnesDoesNotHideAFileFromElsewhere) {
    const std::string secret = put("redis", "hush\n", 0644);
    const fs::path mounted = fs::path(secret).parent_path() / "secrets";
    fs::create_directory(mounted);
    fs::create_symlink(secret, mounted / "redis");
    const settings s = read("[redis]\npassword_file = \"" + (mounted / "redis").string() +
                            "\"\n[cluster]\nstrict = true\n");
    EXPECT_THROW(judge_secret_files(s, mounted), std::runtime_error);
}

// RabbitMQ's usual password stands in the shipped file, which everybody who cloned it can read.
TEST_F(SecretFilesTest, AValueThatIsTheUsualOneIsNoSecret) {
    std::ifstream file(FLOODGATE_CONFIG);
    const std::string shipped{std::istreambuf_iterator<char>(file), {}};
    ASSERT_THAT(shipped, testing::HasSubstr("password = \"guest\""));
    EXPECT_THAT(exposed_secrets(read(shipped, 0644)), IsEmpty());
    EXPECT_THAT(exposed_secrets(read("[rabbitmq]\npassword = \"hush\"\n", 0644)),
                testing::SizeIs(1));
    const std::string secret = put("secret", "guest\n", 0644);
    EXPECT_THAT(exposed_secrets(read("[rabbitmq]\npassword_file = \"" + secret + "\"\n")),
                testing::SizeIs(1))
        << "what is kept in a file of its own is meant to be one";
}

}  // namespace
}  // namespace floodgate::engine
