// The accounts of points, if the settings want any: with a database of theirs, or in another
// process.

#pragma once

#include <memory>

#include "engine/settings.hpp"
#include "points/accounts.hpp"
#include "store/http/http_caller.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::engine {

class points_store {
public:
    // In this process: brings the tables up to date. In another one: does not look whether it
    // answers, because the shop sells without it. Throws with one clear line.
    explicit points_store(const settings& s);

    points::accounts* accounts() { return accounts_.get(); }  // null: there are none

private:
    std::unique_ptr<store::database> database_;
    std::unique_ptr<store::http_caller> caller_;
    std::unique_ptr<points::accounts> accounts_;  // uses one of the above
};

}  // namespace floodgate::engine
