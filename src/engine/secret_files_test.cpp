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

}  // namespace
}  // namespace floodgate::engine
