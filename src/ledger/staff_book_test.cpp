#include "ledger/staff_book.hpp"

#include <array>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr auto conflict = errc::conflict;

class StaffBookTest : public LedgerContractTest {
protected:
    sale::user_id add(const std::string& phone, sale::role role) {
        return book_.staff()
            .add({.phone = phone,
                  .nickname = "Ann",
                  .password_hash = "h",
                  .role = role,
                  .created_at = noon},
                 [](sale::user_id) { return line(); })
            .value();
    }
    static audit_line line() {
        return {.at = noon, .who = {1}, .action = "a", .subject = "s", .details = "{}"};
    }
    void log_in(sale::user_id user, int n) {
        sale::token_hash hash{};
        hash[0] = std::byte(n);
        ASSERT_TRUE(book_.users().add_login(
            {.hash = hash, .user = user, .expires_at = noon + std::chrono::hours(1)}));
    }
    boost::system::error_code error_of(const result<ended_logins>& r) {
        return r ? boost::system::error_code() : r.error();
    }
};
INSTANTIATE_TEST_SUITE_P(Over, StaffBookTest, testing::ValuesIn(databases()), name_of);

TEST_P(StaffBookTest, ListsEverybodyButTheBuyers) {
    add("10001", sale::role::admin);
    add("10002", sale::role::sales_operator);
    add("10003", sale::role::buyer);
    const auto all = book_.staff().list().value();
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[1].user.role, sale::role::sales_operator);
    EXPECT_FALSE(all[1].has_second_factor);
    EXPECT_THAT(book_.audit().list(0, 10).value(), SizeIs(3)) << "each has its line";
}

TEST_P(StaffBookTest, AChangeOfRoleEndsTheLogInsAndServersReadWhich) {
    const auto ann = add("10001", sale::role::viewer), ben = add("10002", sale::role::viewer);
    log_in(ann, 1);
    log_in(ann, 2);
    log_in(ben, 3);
    EXPECT_EQ(book_.staff().last_ended().value(), 0);
    EXPECT_THAT(book_.staff().set_role(ann, sale::role::support, line()).value(), SizeIs(2));
    EXPECT_EQ(book_.users().find(ann)->role, sale::role::support);
    const auto ended = book_.staff().ended_after(0, 10).value();
    ASSERT_THAT(ended, SizeIs(2));
    EXPECT_THAT(book_.staff().ended_after(ended[1].id, 10).value(), IsEmpty());
    EXPECT_THAT(book_.accounts().logins_of(ben, noon).value(), SizeIs(1));
    EXPECT_GE(book_.staff().forget_ended(wall_clock().now() + milliseconds(1)).value(), 2);
}

TEST_P(StaffBookTest, TheLastActiveAdminStays) {
    const auto ann = add("10001", sale::role::admin), ben = add("10002", sale::role::admin);
    EXPECT_TRUE(book_.staff().set_disabled(ben, true, line()));
    EXPECT_EQ(error_of(book_.staff().set_role(ann, sale::role::viewer, line())),
              make_error_code(conflict));
    EXPECT_EQ(error_of(book_.staff().set_disabled(ann, true, line())), make_error_code(conflict));
    EXPECT_EQ(book_.users().find(ann)->role, sale::role::admin);
    EXPECT_TRUE(book_.staff().set_disabled(ben, false, line()));
    EXPECT_TRUE(book_.staff().set_role(ann, sale::role::viewer, line()));
}

TEST_P(StaffBookTest, ANewPasswordMustBeChangedIfAnotherPersonKnowsIt) {
    const auto ann = add("10001", sale::role::viewer);
    EXPECT_FALSE(book_.users().find(ann)->must_change_password);
    ASSERT_TRUE(book_.staff().set_password(ann, {.hash = "i"}, line()));
    EXPECT_TRUE(book_.users().find(ann)->must_change_password);
    ASSERT_TRUE(book_.accounts().change_password({.user = ann, .old_hash = "i", .hash = "j"}));
    EXPECT_FALSE(book_.users().find(ann)->must_change_password);
}

TEST_P(StaffBookTest, ASecondFactorIsConfirmedOnceAndEachCodeIsUsedOnce) {
    second_factor_book& factors = book_.second_factors();
    const auto ann = add("10001", sale::role::viewer);
    const std::string secret("a\0b", 3);
    EXPECT_FALSE(factors.find(ann));
    ASSERT_TRUE(factors.begin(ann, "other", noon));
    ASSERT_TRUE(factors.begin(ann, secret, noon)) << "not confirmed yet";
    EXPECT_EQ(factors.find(ann)->secret, secret);
    EXPECT_FALSE(factors.use_step(ann, 4).value()) << "not confirmed yet";
    std::array<sale::token_hash, 2> codes{};
    codes[1][0] = std::byte{1};
    ASSERT_TRUE(factors.confirm(ann, {.step = 5, .recovery_codes = codes}, line()));
    EXPECT_FALSE(factors.confirm(ann, {.step = 6, .recovery_codes = codes}, line()));
    EXPECT_FALSE(factors.begin(ann, secret, noon));
    EXPECT_TRUE(book_.staff().find(ann)->has_second_factor);
    EXPECT_FALSE(factors.use_step(ann, 5).value());
    EXPECT_TRUE(factors.use_step(ann, 6).value());
    EXPECT_FALSE(factors.use_step(ann, 6).value());
    EXPECT_TRUE(factors.use_recovery_code(ann, codes[1]).value());
    EXPECT_FALSE(factors.use_recovery_code(ann, codes[1]).value());
    ASSERT_TRUE(factors.remove(ann, line()));
    EXPECT_FALSE(factors.use_recovery_code(ann, codes[0]).value());
    EXPECT_FALSE(factors.remove(ann, line()));
}

}  // namespace
}  // namespace floodgate::ledger
