#include "points/accounts_fixture.hpp"

namespace floodgate::points {

std::vector<accounts_kind> every_accounts() {
    std::vector<accounts_kind> all;
    for (store::database_kind& database : store::test_databases())
        all.push_back({"BookOver" + database.name, std::move(database.open), {}});
    return all;
}

std::string accounts_name(const testing::TestParamInfo<accounts_kind>& info) {
    return info.param.name;
}

void account_verbs::buy(std::uint64_t order, std::int64_t user, std::int64_t amount) {
    EXPECT_TRUE(is(spend(order, user, amount), reserved));
    EXPECT_TRUE(confirm(order));
}

}  // namespace floodgate::points
