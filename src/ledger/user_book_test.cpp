#include <thread>

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class UserContractTest : public LedgerContractTest {
protected:
    user_book& users_ = book_.users();

    static sale::token_hash token(int n) {
        sale::token_hash hash{};
        hash[0] = static_cast<std::byte>(n);
        hash[31] = std::byte{0x7f};
        return hash;
    }
    static sale::login login(int n, std::int64_t user, milliseconds lasts) {
        return {token(n), {user}, sale::role::buyer, noon + lasts};
    }
    std::vector<std::int64_t> logged_in(instant now) {
        std::vector<std::int64_t> found;
        users_.for_each_login(now, [&](const sale::login& l) { found.push_back(l.user.value); })
            .value();
        return found;
    }
};
INSTANTIATE_TEST_SUITE_P(Over, UserContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(UserContractTest, AUserIsFoundByPhoneAndById) {
    sale::user u{{}, "13800000000", "小明", "$argon2id$...", sale::role::admin, noon};
    u.id = users_.add(u).value();
    for (const auto& found : {users_.find(u.phone).value(), users_.find(u.id).value()}) {
        EXPECT_EQ(found.id, u.id);
        EXPECT_EQ(found.phone, u.phone);
        EXPECT_EQ(found.nickname, u.nickname);
        EXPECT_EQ(found.password_hash, u.password_hash);
        EXPECT_EQ(found.role, sale::role::admin);
        EXPECT_EQ(found.created_at, noon);
    }
    EXPECT_EQ(outcome(users_.find("13900000000")), errc::not_found);
    EXPECT_EQ(outcome(users_.find(sale::user_id{99})), errc::not_found);
}

TEST_P(UserContractTest, APhoneNumberIsTakenOnce) {
    verbs_.add_user("13800000000");
    sale::user again;
    again.phone = "13800000000";
    EXPECT_EQ(outcome(users_.add(again)), errc::already_exists);
    EXPECT_EQ(users_.find("13800000000").value().nickname, "nick 13800000000");
}

TEST_P(UserContractTest, AnAdminIsNoticed) {
    verbs_.add_user("13800000000");
    EXPECT_FALSE(users_.any_admin().value());
    users_.add({{}, "13800000001", "", "", sale::role::admin, noon}).value();
    EXPECT_TRUE(users_.any_admin().value());
}

TEST_P(UserContractTest, APasswordHashIsReplaced) {
    const auto id = verbs_.add_user("13800000000");
    EXPECT_EQ(outcome(users_.set_password_hash(id, "new")), fine);
    EXPECT_EQ(outcome(users_.set_password_hash(id, "new")), fine) << "the same again is fine";
    EXPECT_EQ(users_.find(id).value().password_hash, "new");
    EXPECT_EQ(outcome(users_.set_password_hash({99}, "new")), errc::not_found);
}

TEST_P(UserContractTest, LoginsAreReadBackUntilTheyExpire) {
    const sale::login l{token(1), {7}, sale::role::admin, noon + milliseconds(10)};
    ASSERT_EQ(outcome(users_.add_login(l)), fine);
    std::vector<sale::login> seen;
    users_.for_each_login(noon, [&](const sale::login& one) { seen.push_back(one); }).value();
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].hash, l.hash);
    EXPECT_EQ(seen[0].user, l.user);
    EXPECT_EQ(seen[0].role, sale::role::admin);
    EXPECT_EQ(seen[0].expires_at, l.expires_at);
    EXPECT_THAT(logged_in(noon + milliseconds(9)), UnorderedElementsAre(7));
    EXPECT_THAT(logged_in(noon + milliseconds(10)), IsEmpty());
    EXPECT_EQ(outcome(users_.add_login(l)), errc::already_exists);
}

TEST_P(UserContractTest, LoginsAreRemovedAndPruned) {
    users_.add_login(login(1, 1, milliseconds(10))).value();
    users_.add_login(login(2, 2, milliseconds(20))).value();
    users_.add_login(login(3, 3, milliseconds(30))).value();
    EXPECT_EQ(outcome(users_.remove_login(token(3))), fine);
    EXPECT_EQ(outcome(users_.remove_login(token(3))), fine) << "absent is fine";
    EXPECT_EQ(users_.prune_logins(noon + milliseconds(10)).value(), 1);
    EXPECT_EQ(users_.prune_logins(noon + milliseconds(10)).value(), 0);
    EXPECT_THAT(logged_in(noon), UnorderedElementsAre(2));
}

TEST_P(UserContractTest, ALoginIsFoundByItsTokenUntilItExpiresOrIsRemoved) {
    users_.add_login(login(1, 7, milliseconds(10))).value();
    const auto found = users_.find_login(token(1), noon);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->user, sale::user_id{7});
    EXPECT_EQ(found->expires_at, noon + milliseconds(10));
    EXPECT_EQ(found->hash, token(1));
    EXPECT_EQ(outcome(users_.find_login(token(1), noon + milliseconds(10))), errc::not_found);
    EXPECT_EQ(outcome(users_.find_login(token(2), noon)), errc::not_found);
    users_.remove_login(token(1)).value();
    EXPECT_EQ(outcome(users_.find_login(token(1), noon)), errc::not_found);
}

TEST_P(UserContractTest, ADeviceIsKnownUntilItsTimeIsOver) {
    constexpr std::uint64_t high = 0xf000'0000'0000'0001U;  // does not fit a signed number
    const instant until = noon + milliseconds(10);
    EXPECT_EQ(users_.device_known_until({7}, high).value(), instant{});
    ASSERT_EQ(outcome(users_.add_login(login(1, 7, milliseconds(10)), {high, until})), fine);
    EXPECT_THAT(logged_in(noon), UnorderedElementsAre(7));
    EXPECT_EQ(users_.device_known_until({7}, high).value(), until);
    EXPECT_EQ(users_.device_known_until({8}, high).value(), instant{});
    EXPECT_EQ(users_.device_known_until({7}, 1).value(), instant{});

    const instant later = until + milliseconds(10);
    ASSERT_EQ(outcome(users_.add_login(login(2, 7, milliseconds(10)), {high, later})), fine);
    EXPECT_EQ(users_.device_known_until({7}, high).value(), later);
    EXPECT_EQ(users_.prune_logins(until).value(), 2);
    EXPECT_EQ(users_.device_known_until({7}, high).value(), later);
    EXPECT_EQ(users_.prune_logins(later).value(), 0);
    EXPECT_EQ(users_.device_known_until({7}, high).value(), instant{});
}

TEST_P(UserContractTest, OfTooManyDevicesTheOldestAreForgotten) {
    for (int i = 1; i <= user_book::devices_max + 3; ++i) {
        const user_book::device_use from{static_cast<std::uint64_t>(i), noon + milliseconds(i)};
        ASSERT_EQ(outcome(users_.add_login(login(i, 7, milliseconds(10)), from)), fine);
    }
    ASSERT_EQ(outcome(users_.add_login(login(99, 8, milliseconds(10)), {1, noon})), fine);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM known_devices WHERE user_id = 7"),
              user_book::devices_max);
    EXPECT_EQ(users_.device_known_until({7}, 3).value(), instant{});
    EXPECT_EQ(users_.device_known_until({7}, 4).value(), noon + milliseconds(4));
    EXPECT_EQ(users_.device_known_until({8}, 1).value(), noon) << "another user's";
}

TEST_P(UserContractTest, ALoginThatIsThereAlreadyMakesNoDeviceKnown) {
    users_.add_login(login(1, 7, milliseconds(10))).value();
    EXPECT_EQ(outcome(users_.add_login(login(1, 7, milliseconds(10)), {5, noon})),
              errc::already_exists);
    EXPECT_EQ(users_.device_known_until({7}, 5).value(), instant{});
}

TEST_P(UserContractTest, ManyUsersComeInOneGoWithTheIdsTheyHave) {
    std::vector<sale::user> users;
    std::vector<sale::login> logins;
    for (int i = 9; i >= 1; --i) {
        users.push_back({{i}, "1380000000" + std::to_string(i), "n", "h", sale::role::buyer, noon});
        logins.push_back(login(i * 37, i, milliseconds(10)));
    }
    ASSERT_EQ(outcome(users_.add_many(users, logins)), fine);
    EXPECT_EQ(users_.find("13800000004").value().id, sale::user_id{4});
    EXPECT_THAT(logged_in(noon), UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_EQ(verbs_.add_user("13900000000"), sale::user_id{10});
}

TEST_P(UserContractTest, OfManyUsersAllComeOrNone) {
    verbs_.add_user("13800000003");
    std::vector<sale::user> users;
    for (int i = 1; i <= 9; ++i)
        users.push_back({{100 + i}, "1380000000" + std::to_string(i), "", "", {}, noon});
    EXPECT_EQ(outcome(users_.add_many(users, {})), errc::already_exists);
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM users"), 1);
}

TEST_P(UserContractTest, ManyThreadsMayReadAndWriteAtOnce) {
    std::vector<std::thread> threads;
    threads.reserve(6);
    for (int t = 0; t < 6; ++t) {
        threads.emplace_back([this, t] {
            for (int i = 0; i < 20; ++i) {
                const std::string phone = "138" + std::to_string(100 * t + i);
                verbs_.add_user(phone);
                EXPECT_EQ(users_.find(phone).value().nickname, "nick " + phone);
            }
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(verbs_.number("SELECT COUNT(*) FROM users"), 120);
}

}  // namespace
}  // namespace floodgate::ledger
