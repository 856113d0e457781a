// The one place where the database's exceptions become errc: store/sql/guarded.hpp, with the
// ledger's name in the log.

#pragma once

#include <string_view>

#include "store/sql/guarded.hpp"

namespace floodgate::ledger {

inline constexpr std::string_view failed_event = "ledger.failed";

// store::explain for entering promises, which handles taken keys itself. A taken key that stops it
// nevertheless would stop it again, so that is rejected as well.
errc explain_entry(std::string_view act, const store::sql_error& failure);

template <class Act>
auto guarded(std::string_view name, Act&& act) -> decltype(act()) {
    return store::guarded({failed_event, name}, act);
}

// The same, with explain_entry.
template <class Act>
auto guarded_entry(std::string_view name, Act&& act) -> decltype(act()) {
    return store::run_again_on_conflict(
        act, [&](const store::sql_error& e) { return explain_entry(name, e); });
}

template <class Act>
auto guarded_visit(std::string_view name, Act&& act) -> decltype(act()) {
    return store::guarded_visit({failed_event, name}, act);
}

}  // namespace floodgate::ledger
