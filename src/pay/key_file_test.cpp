#include "pay/key_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include "pay/keys.hpp"
#include "pay/test_data.hpp"
#include "pay/wechat_cipher.hpp"

namespace floodgate::pay {
namespace {

// A directory of its own, and what is said about the files in it.
class KeyFileTest : public testing::Test {
protected:
    KeyFileTest() : root_(testing::TempDir() + "floodgate_keys_XXXXXX") {
        if (::mkdtemp(root_.data()) == nullptr) throw std::runtime_error("no directory");
    }
    ~KeyFileTest() override { std::filesystem::remove_all(root_); }

    std::string path(const std::string& name) const { return root_ + "/" + name; }
    std::string put(const std::string& name, const std::string& text, mode_t mode = 0600) {
        std::ofstream(path(name), std::ios::binary) << text;
        EXPECT_EQ(::chmod(path(name).c_str(), mode), 0);
        return path(name);
    }
    template <class Load>
    static std::string refusal(Load load) {
        try {
            load();
        } catch (const key_error& e) {
            return e.what();
        }
        return "no refusal";
    }
    static std::string refusal_of_private(const std::string& path) {
        return refusal([&] { private_key::from_file(path); });
    }

private:
    std::string root_;
};

TEST_F(KeyFileTest, IsReadWhenOnlyTheOwnerMay) {
    const std::string pem = test_data("test_only_merchant.pkcs8.pem");
    for (const mode_t mode : {0600U, 0400U}) {
        const private_key key = private_key::from_file(put("key.pem", pem, mode));
        EXPECT_TRUE(matches(key, test_public_key("merchant")));
        ::chmod(path("key.pem").c_str(), 0600);
    }
}

TEST_F(KeyFileTest, OfASecretMayNotBeOpenToOthers) {
    const std::string pem = test_data("test_only_merchant.pkcs8.pem");
    for (const mode_t mode : {0640U, 0604U, 0644U, 0620U, 0602U, 0610U, 0660U, 0777U}) {
        const std::string file = put("key.pem", pem, mode);
        const std::string why = refusal_of_private(file);
        EXPECT_NE(why.find("chmod 600 " + file), std::string::npos) << why;
        EXPECT_EQ(refusal([&] { apiv3_key::from_file(file); }), why);
    }
    EXPECT_NE(refusal_of_private(put("key.pem", pem, 0644)).find("(mode 0644)"), std::string::npos);
}

TEST_F(KeyFileTest, OfAPublicKeyMayBeOpenToAll) {
    for (const char* name : {"test_only_platform.public.pem", "test_only_platform.certificate.pem"})
        EXPECT_TRUE(matches(test_private_key("platform"),
                            public_key::from_file(put(name, test_data(name), 0644))));
}

TEST_F(KeyFileTest, MustBeThere) {
    EXPECT_EQ(refusal_of_private(path("missing.pem")),
              path("missing.pem") + " does not exist: put the key there, or correct the path");
    EXPECT_EQ(refusal([&] { public_key::from_file(path("missing.pem")); }),
              path("missing.pem") + " does not exist: put the key there, or correct the path");
}

TEST_F(KeyFileTest, MustBeReadable) {
    put("file", "x");
    EXPECT_EQ(refusal_of_private(path("file/key.pem")),
              path("file/key.pem") +
                  " cannot be read (Not a directory): the user that runs floodgate must own it");
}

TEST_F(KeyFileTest, MustBeARegularFile) {
    EXPECT_NE(refusal_of_private(path("")).find("not a regular file"), std::string::npos);
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    EXPECT_NE(refusal_of_private(path("pipe")).find("not a regular file"), std::string::npos)
        << "and it is not waited for";
}

TEST_F(KeyFileTest, HasALimit) {
    const std::string pem = test_data("test_only_merchant.pkcs8.pem");
    const std::string full = pem + std::string(key_file_bytes_max - pem.size(), '\n');
    EXPECT_EQ(refusal_of_private(put("key.pem", full)), "no refusal");
    EXPECT_EQ(refusal_of_private(put("key.pem", full + "\n")),
              path("key.pem") + " has 65537 bytes, more than any key (65536): name the key file");
}

TEST_F(KeyFileTest, MayNotBeEmpty) {
    EXPECT_EQ(refusal_of_private(put("key.pem", "")),
              path("key.pem") + " is empty: put the key there");
}

TEST_F(KeyFileTest, IsNamedByWhatIsWrongWithItsKey) {
    const std::string file = put("key.pem", test_data("test_only_short.pkcs8.pem"));
    EXPECT_EQ(refusal_of_private(file),
              file + " has 1024 bits, which is too few: make one with 2048 or more");
}

}  // namespace
}  // namespace floodgate::pay
