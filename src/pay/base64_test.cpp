#include "pay/base64.hpp"

#include <gtest/gtest.h>

namespace floodgate::pay {
namespace {

// RFC 4648, section 10.
TEST(Base64, KnowsTheAnswersOfTheStandard) {
    const std::pair<const char*, const char*> answers[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : answers) {
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
    EXPECT_EQ(to_base64(std::string_view("\xFB\xFF\0", 3)), "+/8A");
    EXPECT_EQ(from_base64("+/8A"), std::string("\xFB\xFF\0", 3));
}

TEST(Base64, ComesBackAsItWent) {
    std::string bytes;
    for (int i = 0; i < 600; ++i) {
        EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
        bytes.push_back(static_cast<char>(i * 7));
    }
}

TEST(Base64, IsReadInNoOtherForm) {
    for (const char* text :
         {"Z",        "Zg",       "Zg=",  "Zg===", "Z===",    "====",  "==",       "=",
          "Zm9v=",    "Zg==Zg==", "Z=g=", "=Zg=",  " Zg==",   "Zg== ", "Zg==\n",   "Zm9v\n",
          "Zm9v    ", "    Zm9v", "Zm 9", "Zm-_",  "Zm9\xC3", "Zm9v!", "\n\n\n\n", "Zm=v"})
        EXPECT_FALSE(from_base64(text)) << text;
    EXPECT_FALSE(from_base64(std::string_view("Zm9\0", 4)));
}

TEST(Base64, HasOneSpelling) {
    EXPECT_FALSE(from_base64("Zh==")) << "bits beyond the last byte";
    EXPECT_FALSE(from_base64("Zm9=")) << "bits beyond the last byte";
}

}  // namespace
}  // namespace floodgate::pay
