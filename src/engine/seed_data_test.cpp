#include "engine/seed_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/private_file.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::engine {
namespace {

using ledger::noon;
using testing::HasSubstr;
using testing::internal::CaptureStdout;
using testing::internal::GetCapturedStdout;

class SeedDataTest : public testing::Test {
protected:
    std::string first_admin() {
        CaptureStdout();
        create_first_admin(book_, passwords_, {given_in_, file_}, noon);
        return GetCapturedStdout();
    }
    std::string demo() {
        CaptureStdout();
        create_demo(book_, passwords_, noon);
        return GetCapturedStdout();
    }

    std::string given_in_;
    ledger::scratch_directory directory_;
    const std::string file_ = directory_.file("admin-password");
    ledger::book_verbs verbs_{ledger::databases().front().open(directory_)};
    ledger::ledger& book_ = verbs_.book();
    guard::passwords passwords_{guard::cheapest};
};

TEST_F(SeedDataTest, TheFirstAdminsPasswordIsInAFileThatOnlyItsOwnerCanRead) {
    const std::string said = first_admin();
    const auto admin = book_.users().find("10000");
    ASSERT_TRUE(admin);
    EXPECT_EQ(admin->role, sale::role::admin);
    EXPECT_TRUE(admin->must_change_password);
    EXPECT_THAT(said, HasSubstr("phone 10000  password in " + file_));
    const std::string password = password_in(file_, "10000");
    EXPECT_TRUE(passwords_.verify(admin->password_hash, password));
    EXPECT_THAT(said, testing::Not(HasSubstr(password)));
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(file_).permissions(), perms::owner_read | perms::owner_write);
    EXPECT_EQ(first_admin(), "") << "there is one";
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM users"), 1);
}

TEST_F(SeedDataTest, TheFirstAdminsPasswordMayBeGivenInAFile) {
    given_in_ = directory_.file("given");
    EXPECT_THROW(first_admin(), std::runtime_error);
    (void)GetCapturedStdout();
    write_private_file(given_in_, "10000\n");
    EXPECT_THROW(first_admin(), std::runtime_error) << "too short";
    (void)GetCapturedStdout();
    write_private_file(given_in_, "battery staple\n");
    EXPECT_THAT(first_admin(), HasSubstr("password in " + given_in_));
    EXPECT_FALSE(std::filesystem::exists(file_));
    EXPECT_TRUE(passwords_.verify(book_.users().find("10000")->password_hash, "battery staple"));
}

TEST_F(SeedDataTest, ADemoIsOpenNowAndInTwoMinutesAndMadeOnce) {
    EXPECT_THAT(demo(), HasSubstr("demo-buyer"));
    const auto rounds = book_.catalogue().rounds().value();
    ASSERT_EQ(rounds.size(), 2U);
    EXPECT_EQ(rounds[0].starts_at, noon - std::chrono::minutes(1));
    EXPECT_EQ(rounds[1].starts_at, noon + std::chrono::minutes(2));
    const auto sales = book_.catalogue().sales().value();
    EXPECT_EQ(sales.size(), 5U);
    for (const sale::sale& s : sales) EXPECT_EQ(s.state, sale::sale_state::published);
    EXPECT_EQ(first_admin(), "") << "the demo has its own";
    EXPECT_THAT(demo(), HasSubstr("demo-buyer")) << "told again";
    EXPECT_EQ(book_.catalogue().sales()->size(), 5U);
    EXPECT_THAT(verbs_.check(), testing::IsEmpty());
}

TEST_F(SeedDataTest, AShopWithProductsGetsNoDemo) {
    verbs_.add_sale();
    EXPECT_THROW(create_demo(book_, passwords_, noon), std::runtime_error);
    EXPECT_EQ(book_.catalogue().sales()->size(), 1U);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM users"), 0);
}

}  // namespace
}  // namespace floodgate::engine
