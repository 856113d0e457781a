// For points_test: the accounts in this process.

#include "points/accounts_fixture.hpp"

namespace floodgate::points {

std::vector<accounts_kind> every_accounts() {
    std::vector<accounts_kind> all;
    for (store::database_kind& database : store::test_databases())
        all.push_back({"BookOver" + database.name, std::move(database.open), {}});
    return all;
}

}  // namespace floodgate::points
