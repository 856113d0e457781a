#include "ledger/account_book.hpp"

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class AccountContractTest : public LedgerContractTest {
protected:
    account_book& accounts_ = book_.accounts();
    user_book& users_ = book_.users();

    static sale::token_hash token(int n) {
        sale::token_hash hash{};
        hash[0] = static_cast<std::byte>(n);
        return hash;
    }
    void log_in(int n, sale::user_id user, milliseconds at = {}) {
        users_
            .add_login({.hash = token(n),
                        .user = user,
                        .role = sale::role::buyer,
                        .expires_at = noon + milliseconds(1000),
                        .created_at = noon + at,
                        .address = "192.0.2.0/24"})
            .value();
    }
    std::vector<sale::token_hash> logged_in(sale::user_id user, instant now = noon) {
        std::vector<sale::token_hash> out;
        for (const sale::login& l : accounts_.logins_of(user, now).value()) out.push_back(l.hash);
        return out;
    }
};
INSTANTIATE_TEST_SUITE_P(Over, AccountContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(AccountContractTest, ANewPasswordEndsTheOtherLogIns) {
    const auto user = verbs_.add_user("13800000000");
    const auto other = verbs_.add_user("13800000001");
    users_.set_password_hash(user, "old").value();
    for (const int n : {1, 2, 3}) log_in(n, user);
    log_in(4, other);
    const auto ended = accounts_.change_password({user, "old", "new", token(2)}).value();
    EXPECT_THAT(ended, UnorderedElementsAre(token(1), token(3)));
    EXPECT_THAT(logged_in(user), ElementsAre(token(2)));
    EXPECT_THAT(logged_in(other), ElementsAre(token(4)));
    EXPECT_EQ(users_.find(user).value().password_hash, "new");
}

TEST_P(AccountContractTest, OfTwoPasswordChangesAtOnceOneFails) {
    const auto user = verbs_.add_user("13800000000");
    users_.set_password_hash(user, "old").value();
    log_in(1, user);
    accounts_.change_password({user, "old", "first", token(1)}).value();
    EXPECT_EQ(outcome(accounts_.change_password({user, "old", "second"})), errc::conflict);
    EXPECT_EQ(users_.find(user).value().password_hash, "first");
    EXPECT_THAT(logged_in(user), ElementsAre(token(1)));
}

TEST_P(AccountContractTest, LogInsAreListedNewestFirstWithWhereTheyCameFrom) {
    const auto user = verbs_.add_user("13800000000");
    log_in(1, user, milliseconds(5));
    log_in(2, user, milliseconds(7));
    const auto found = accounts_.logins_of(user, noon).value();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].hash, token(2));
    EXPECT_EQ(found[0].created_at, noon + milliseconds(7));
    EXPECT_EQ(found[0].address, "192.0.2.0/24");
    EXPECT_EQ(found[1].hash, token(1));
    EXPECT_THAT(logged_in(user, noon + milliseconds(1000)), IsEmpty()) << "expired";
}

TEST_P(AccountContractTest, AllLogInsButOneAreEnded) {
    const auto user = verbs_.add_user("13800000000");
    for (const int n : {1, 2, 3}) log_in(n, user);
    EXPECT_THAT(accounts_.end_logins(user, token(1)).value(),
                UnorderedElementsAre(token(2), token(3)));
    EXPECT_THAT(logged_in(user), ElementsAre(token(1)));
    EXPECT_THAT(accounts_.end_logins(user, token(1)).value(), IsEmpty());
}

TEST_P(AccountContractTest, AUserWithAnExternalIdIsMadeOnceAndHasNoPhoneNumber) {
    const auto made = accounts_.find_or_add({"shop-7", "Ming"}, noon).value();
    EXPECT_EQ(made.external_id, "shop-7");
    EXPECT_EQ(made.nickname, "Ming");
    EXPECT_EQ(made.phone, "");
    EXPECT_EQ(made.created_at, noon);
    EXPECT_EQ(accounts_.find_or_add({"shop-7", ""}, noon + milliseconds(5)).value().id, made.id);
    EXPECT_NE(accounts_.find_or_add({"SHOP-7", "Other"}, noon).value().id, made.id) << "by bytes";
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM users"), 2);
    EXPECT_EQ(users_.find(made.id).value().external_id, "shop-7");
}

TEST_P(AccountContractTest, ANicknameFollowsTheShop) {
    accounts_.find_or_add({"shop-7", "Ming"}, noon).value();
    EXPECT_EQ(accounts_.find_or_add({"shop-7", "Ming the Second"}, noon).value().nickname,
              "Ming the Second");
}

TEST_P(AccountContractTest, ADisabledUserIsOnTheListUntilEnabled) {
    const auto user = verbs_.add_user("13800000000");
    log_in(1, user);
    const auto before = book_.keys().access_revision().value();
    EXPECT_THAT(accounts_.disable(user, noon, {}).value(), ElementsAre(token(1)));
    EXPECT_GT(book_.keys().access_revision().value(), before);
    EXPECT_THAT(book_.keys().disabled_users().value(), ElementsAre(user));
    EXPECT_THAT(accounts_.disable(user, noon + milliseconds(9), {}).value(), IsEmpty());
    EXPECT_EQ(users_.find(user).value().disabled_at, noon) << "the first time counts";
    EXPECT_THAT(accounts_.enable(user, noon, {}).value(), IsEmpty());
    EXPECT_THAT(book_.keys().disabled_users().value(), IsEmpty());
    EXPECT_EQ(outcome(accounts_.disable({99}, noon, {})), errc::not_found);
}

TEST_P(AccountContractTest, NothingPersonalIsLeftOfAForgottenUser) {
    const auto user = accounts_.find_or_add({"shop-7", "Ming"}, noon).value().id;
    users_
        .add_login(
            {.hash = token(1), .user = user, .role = {}, .expires_at = noon + milliseconds(9)},
            {5, noon + milliseconds(9)})
        .value();
    EXPECT_THAT(accounts_.forget(user, noon, {}).value(), ElementsAre(token(1)));
    const auto left = users_.find(user).value();
    EXPECT_EQ(left.phone + left.external_id + left.password_hash, "");
    EXPECT_NE(left.nickname, "Ming");
    EXPECT_EQ(left.forgotten_at, noon);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM known_devices"), 0);
    EXPECT_EQ(outcome(accounts_.find_external("shop-7")), errc::not_found);
    EXPECT_EQ(outcome(accounts_.enable(user, noon, {})), errc::conflict);
    const auto admin = users_.add({{}, "10000", "Boss", "", sale::role::admin, noon}).value();
    EXPECT_EQ(outcome(accounts_.forget(admin, noon, {})), errc::conflict);
}

TEST_P(AccountContractTest, AResetCodeIsGoodForOneUseAndFiveTries) {
    const auto user = verbs_.add_user("13800000000");
    const auto use = [&](int code) {
        return accounts_.reset_password({user, token(code), "new", noon});
    };
    EXPECT_EQ(outcome(use(1)), errc::not_found) << "there is none";
    accounts_.keep_reset_code({user, token(1), noon + milliseconds(1)}, {}).value();
    log_in(7, user);
    EXPECT_EQ(outcome(use(2)), errc::not_found);
    EXPECT_THAT(use(1).value(), ElementsAre(token(7)));
    EXPECT_EQ(users_.find(user).value().password_hash, "new");
    EXPECT_EQ(outcome(use(1)), errc::not_found) << "used up";
    accounts_.keep_reset_code({user, token(1), noon + milliseconds(1)}, {}).value();
    for (int i = 0; i < account_book::reset_tries; ++i) EXPECT_EQ(outcome(use(2)), errc::not_found);
    EXPECT_EQ(outcome(use(1)), errc::not_found) << "no tries are left";
    accounts_.keep_reset_code({user, token(1), noon}, {}).value();
    EXPECT_EQ(outcome(use(1)), errc::not_found) << "too old";
}

}  // namespace
}  // namespace floodgate::ledger
