// The ledger's edge: where the database's exceptions become errc.

#pragma once

#include <string_view>

#include "base/result.hpp"
#include "store/sql.hpp"

namespace floodgate::ledger {

// A taken key is already_exists, a missing row referred to is not_found: the caller's input, not
// logged. What the database will not take is rejected, a damaged file is corrupt, everything else
// store_unavailable: logged once, here.
errc explain(std::string_view act, const store::sql_error& failure);

// The same for entering promises, which handles taken keys itself: one that stops it nevertheless
// will stop it again, so that is rejected as well.
errc explain_entry(std::string_view act, const store::sql_error& failure);

// Runs `act`, which gives a result<T> and may throw sql_error. A transaction that `act` left open
// has been rolled back by then.
template <class Act>
auto guarded(std::string_view name, Act&& act) -> decltype(act()) {
    try {
        return act();
    } catch (const store::sql_error& failure) {
        return explain(name, failure);
    }
}

// The same, with explain_entry.
template <class Act>
auto guarded_entry(std::string_view name, Act&& act) -> decltype(act()) {
    try {
        return act();
    } catch (const store::sql_error& failure) {
        return explain_entry(name, failure);
    }
}

}  // namespace floodgate::ledger
