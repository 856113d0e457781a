#include "ledger/attempt.hpp"

#include "base/log.hpp"

namespace floodgate::ledger {

errc explain(std::string_view act, const store::sql_error& failure) {
    switch (failure.kind()) {
    case store::sql_failure::constraint_unique: return errc::already_exists;
    case store::sql_failure::constraint_foreign: return errc::not_found;
    default: break;
    }
    log::error("ledger.failed", "act", act, "kind", store::to_text(failure.kind()), "error",
               failure.what());
    return failure.kind() == store::sql_failure::corrupt ? errc::corrupt : errc::store_unavailable;
}

}  // namespace floodgate::ledger
