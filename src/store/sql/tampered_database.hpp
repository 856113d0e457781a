// For tests: a database that fails, dies or speaks another dialect when told to.

#pragma once

#include <functional>
#include <memory>

#include "store/sql/sql.hpp"

namespace floodgate::store {

struct tampering {
    // Called before and after each statement, BEGIN and COMMIT that is run; may throw sql_error or
    // end the process. Both may be empty.
    std::function<void()> before;
    std::function<void(std::string_view sql)> after;
    store::dialect dialect{};
};

// The caller keeps the tampering and may change it at any time.
std::unique_ptr<database> tamper(std::unique_ptr<database> with, std::shared_ptr<tampering> how);

}  // namespace floodgate::store
