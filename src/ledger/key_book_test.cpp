#include "ledger/key_book.hpp"

#include "ledger/ledger_fixture.hpp"

namespace floodgate::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class KeyContractTest : public LedgerContractTest {
protected:
    key_book& keys_ = book_.keys();

    static audit_line line() {
        return {.at = noon, .who = {1}, .action = "key.done", .subject = "key", .details = "{}"};
    }
    std::int64_t add(int n, instant expires_at = {}) {
        api_key_row k{.name = "till " + std::to_string(n), .scopes = "orders logins"};
        k.secret[0] = static_cast<std::byte>(n);
        k.created_at = noon;
        k.created_by = {1};
        k.expires_at = expires_at;
        return keys_.add(k, [](std::int64_t) { return line(); }).value();
    }
    std::vector<std::int64_t> valid(instant now) {
        std::vector<std::int64_t> out;
        for (const auto& k : keys_.valid(now).value()) out.push_back(k.id);
        return out;
    }
    std::int64_t audited() { return verbs_.number("SELECT COUNT(*) FROM audit"); }
};
INSTANTIATE_TEST_SUITE_P(Over, KeyContractTest, testing::ValuesIn(databases()), name_of);

TEST_P(KeyContractTest, AKeyIsReadBackAsItWasAdded) {
    const auto id = add(1, noon + milliseconds(5));
    const auto k = keys_.find(id).value();
    EXPECT_EQ(k.name, "till 1");
    EXPECT_EQ(k.scopes, "orders logins");
    EXPECT_EQ(k.secret[0], std::byte{1});
    EXPECT_EQ(k.created_by, sale::user_id{1});
    EXPECT_EQ(k.expires_at, noon + milliseconds(5));
    EXPECT_EQ(k.last_used_at, from_ms(0));
    EXPECT_EQ(audited(), 1);
    EXPECT_EQ(outcome(keys_.find(id + 1)), errc::not_found);
}

TEST_P(KeyContractTest, OnlyKeysThatAreNeitherRevokedNorExpiredAreValid) {
    const auto a = add(1), b = add(2), c = add(3, noon + milliseconds(5));
    EXPECT_THAT(valid(noon), ElementsAre(a, b, c));
    keys_.revoke(b, noon, line()).value();
    EXPECT_THAT(valid(noon), ElementsAre(a, c));
    EXPECT_THAT(valid(noon + milliseconds(5)), ElementsAre(a));
    EXPECT_EQ(keys_.list(0, 2).value().front().id, c) << "the newest first";
    EXPECT_EQ(keys_.list(b, 9).value().size(), 1U);
}

TEST_P(KeyContractTest, ARevocationIsMadeAndAuditedOnce) {
    const auto id = add(1);
    keys_.revoke(id, noon, line()).value();
    keys_.revoke(id, noon + milliseconds(9), line()).value();
    EXPECT_EQ(keys_.find(id).value().revoked_at, noon);
    EXPECT_EQ(audited(), 2) << "the key and one revocation";
    EXPECT_EQ(outcome(keys_.revoke(99, noon, line())), errc::not_found);
}

TEST_P(KeyContractTest, TheRevisionGrowsWithEveryChangeAndWithNothingElse) {
    const auto before = keys_.access_revision().value();
    const auto id = add(1);
    const auto added = keys_.access_revision().value();
    EXPECT_GT(added, before);
    keys_.note_use(id, noon).value();
    EXPECT_EQ(keys_.access_revision().value(), added);
    keys_.revoke(id, noon, line()).value();
    EXPECT_GT(keys_.access_revision().value(), added);
}

TEST_P(KeyContractTest, TheLatestUseIsKept) {
    const auto id = add(1);
    keys_.note_use(id, noon + milliseconds(5)).value();
    keys_.note_use(id, noon).value();
    EXPECT_EQ(keys_.find(id).value().last_used_at, noon + milliseconds(5));
}

TEST_P(KeyContractTest, DisabledUsersAreListed) {
    verbs_.add_user("13800000000");
    EXPECT_THAT(keys_.disabled_users().value(), IsEmpty());
    verbs_.sql("UPDATE users SET disabled_ms = 5");
    EXPECT_THAT(keys_.disabled_users().value(), ElementsAre(sale::user_id{1}));
}

}  // namespace
}  // namespace floodgate::ledger
