#include "shop/access_register.hpp"

#include "guard/tokens.hpp"
#include "ledger/ledger_fixture.hpp"

namespace floodgate::shop {
namespace {

using ledger::noon;

class AccessRegisterTest : public testing::Test {
protected:
    std::int64_t add_key(const std::string& secret, const std::string& scopes = "orders") {
        ledger::api_key_row row{.name = "till", .scopes = scopes, .secret = guard::hash_of(secret)};
        row.created_at = noon;
        return book_.keys()
            .add(row, [](std::int64_t) { return ledger::audit_line{.details = "{}"}; })
            .value();
    }
    const guard::api_key* find(const std::string& secret) {
        return reader_.newest().find_key(guard::hash_of(secret), clock_.now());
    }

    ledger::scratch_directory directory_;
    ledger::book_verbs verbs_{ledger::databases().front().open(directory_)};
    ledger::ledger& book_ = verbs_.book();
    manual_clock clock_{noon};
    access_register register_{book_, clock_};
    subscription<guard::access_list> reader_{register_.lists()};
};

TEST_F(AccessRegisterTest, NoticesWhatAnotherNodeChanged) {
    const auto id = add_key("secret", "orders payment later_invention");
    EXPECT_FALSE(find("secret"));
    register_.follow();
    ASSERT_TRUE(find("secret"));
    EXPECT_EQ(find("secret")->id, id);
    EXPECT_TRUE(find("secret")->has(guard::scope::payment));
    EXPECT_FALSE(find("secret")->has(guard::scope::catalogue));
    book_.keys().revoke(id, noon, {}).value();
    EXPECT_TRUE(find("secret"));
    register_.follow();
    EXPECT_FALSE(find("secret"));
}

TEST_F(AccessRegisterTest, ReadsTheListsOnlyWhenTheyChanged) {
    add_key("secret");
    register_.follow();
    const auto version = register_.lists().version();
    register_.follow();
    EXPECT_EQ(register_.lists().version(), version);
}

TEST_F(AccessRegisterTest, WritesTheUseOfAKeyOnceAMinute) {
    const auto id = add_key("secret");
    const auto last_used = [&] { return book_.keys().find(id).value().last_used_at; };
    register_.note_use(id, noon);
    register_.follow();
    EXPECT_EQ(last_used(), noon);
    register_.note_use(id, noon + milliseconds(59'999));
    register_.follow();
    EXPECT_EQ(last_used(), noon);
    register_.note_use(id, noon + milliseconds(60'000));
    register_.follow();
    EXPECT_EQ(last_used(), noon + milliseconds(60'000));
}

}  // namespace
}  // namespace floodgate::shop
