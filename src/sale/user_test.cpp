#include "sale/user.hpp"

#include <gtest/gtest.h>

namespace floodgate::sale {
namespace {

TEST(UserTest, EveryRoleIsFoundByItsWordAndItsNumber) {
    for (const role r : all_roles) {
        EXPECT_FALSE(to_word(r).empty());
        EXPECT_EQ(role_of(to_word(r)), r);
        EXPECT_EQ(role_numbered(static_cast<std::int64_t>(r)), r);
    }
    EXPECT_EQ(to_word(role::sales_operator), "operator");
}

TEST(UserTest, NoOtherWordOrNumberIsARole) {
    for (const char* word : {"", "Admin", "admin ", "sales_operator", "root"})
        EXPECT_EQ(role_of(word), std::nullopt) << word;
    for (const std::int64_t number : {-1, 0, 6, 258})
        EXPECT_EQ(role_numbered(number), std::nullopt);
}

TEST(UserTest, EveryStandingIsFoundByItsWordAndItsNumber) {
    for (const standing s :
         {standing::full, standing::must_change_password, standing::second_factor_missing}) {
        EXPECT_EQ(standing_of(to_word(s)), s);
        EXPECT_EQ(standing_numbered(static_cast<std::int64_t>(s)), s);
    }
    EXPECT_EQ(standing_of("half"), std::nullopt);
    EXPECT_EQ(standing_numbered(0), std::nullopt);
}

}  // namespace
}  // namespace floodgate::sale
