#include "pay/shared_secret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "pay/channel_fixture.hpp"
#include "pay/key_file.hpp"

namespace floodgate::pay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string complaint_about(const std::string& text) {
    try {
        (void)shared_secret::from_text(text, "the file");
    } catch (const key_error& e) {
        return e.what();
    }
    return "";
}

TEST(SharedSecret, IsOneLineOfEnoughCharacters) {
    const std::string shortest(shared_secret_bytes_min, 'x');
    EXPECT_EQ(shared_secret::from_text(shortest, "").bytes(), shortest);
    EXPECT_EQ(shared_secret::from_text(shortest + "\r\n", "").bytes(), shortest);
    EXPECT_EQ(complaint_about(std::string(shared_secret_bytes_max, 'x')), "");
}

TEST(SharedSecret, WhatIsWrongIsSaidWithoutShowingIt) {
    const std::string good(shared_secret_bytes_min, 'x');
    for (const std::string& wrong :
         {std::string(shared_secret_bytes_min - 1, 'x'), std::string(), good + " and more",
          good + "\n" + good, good + '\0', good + "\xE7\xA7\x98",
          std::string(shared_secret_bytes_max + 1, 'x')})
        EXPECT_THAT(complaint_about(wrong),
                    AllOf(StartsWith("the file is not a shared secret"),
                          HasSubstr("openssl rand -hex 32"), Not(HasSubstr("xxx"))));
}

TEST(SharedSecret, ItsFileBelongsToItsOwnerAlone) {
    key_directory keys;
    const std::string path = keys.write("secret", std::string(64, 'a') + "\n");
    EXPECT_EQ(shared_secret::from_file(path).bytes(), std::string(64, 'a'));
    std::filesystem::permissions(path, std::filesystem::perms::others_read,
                                 std::filesystem::perm_options::add);
    EXPECT_THROW((void)shared_secret::from_file(path), key_error);
    EXPECT_THROW((void)shared_secret::from_file(path + ".missing"), key_error);
}

}  // namespace
}  // namespace floodgate::pay
