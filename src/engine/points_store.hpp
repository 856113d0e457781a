// The accounts of points with their database, if the settings want any.

#pragma once

#include <memory>
#include <optional>

#include "engine/open_ledger.hpp"
#include "points/account_book.hpp"

namespace floodgate::engine {

class points_store {
public:
    // Brings the tables up to date. Throws with one clear line.
    explicit points_store(const settings& s) {
        if (!s.points) return;
        database_ = open_points_database(s);
        book_.emplace(*database_);
    }

    points::accounts* accounts() { return book_ ? &*book_ : nullptr; }  // null: there are none

private:
    std::unique_ptr<store::database> database_;
    std::optional<points::account_book> book_;
};

}  // namespace floodgate::engine
