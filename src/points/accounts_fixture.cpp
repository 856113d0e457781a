#include "points/accounts_fixture.hpp"

namespace floodgate::points {

std::string accounts_name(const testing::TestParamInfo<accounts_kind>& info) {
    return info.param.name;
}

void account_verbs::buy(std::uint64_t order, std::int64_t user, std::int64_t amount) {
    EXPECT_TRUE(is(spend(order, user, amount), reserved));
    EXPECT_TRUE(confirm(order));
}

}  // namespace floodgate::points
