#include "guard/stored_ticket.hpp"

#include <gtest/gtest.h>

namespace floodgate::guard {
namespace {

const std::string login_digits = "a7" + std::string(62, '0');

TEST(StoredTicket, IsReadAsItWasWritten) {
    const std::string text = "17 1800000030000 " + login_digits;
    const auto read = parse_stored_ticket(text);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->holder.user.value, 17);
    EXPECT_EQ(read->holder.login[0], std::byte{0xa7});
    EXPECT_EQ(read->expires_at, from_ms(1'800'000'030'000));
    EXPECT_EQ(to_text(*read), text);
}

TEST(StoredTicket, HasOneSpelling) {
    for (const std::string& other :
         {"017 1 " + login_digits, "17  1 " + login_digits, "17,1 " + login_digits,
          "17 1," + login_digits, "+17 1 " + login_digits, "0 1 " + login_digits,
          "-1 1 " + login_digits, " 17 1 " + login_digits, "17 1 " + login_digits + " ",
          "17 1 A7" + std::string(62, '0'), "17 1 " + login_digits.substr(2), std::string("17 1 "),
          std::string("17 1"), std::string("17 "), std::string("17"), std::string()})
        EXPECT_FALSE(parse_stored_ticket(other)) << other;
}

}  // namespace
}  // namespace floodgate::guard
