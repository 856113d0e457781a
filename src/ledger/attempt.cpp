#include "ledger/attempt.hpp"

#include "base/log.hpp"

namespace floodgate::ledger {
namespace {

errc logged(std::string_view act, const store::sql_error& failure, errc as) {
    log::error("ledger.failed", "act", act, "kind", store::to_text(failure.kind()), "error",
               failure.what());
    return as;
}

}  // namespace

errc explain(std::string_view act, const store::sql_error& failure) {
    switch (failure.kind()) {
    case store::sql_failure::constraint_unique: return errc::already_exists;
    case store::sql_failure::constraint_foreign: return errc::not_found;
    case store::sql_failure::rejected: return logged(act, failure, errc::rejected);
    case store::sql_failure::corrupt: return logged(act, failure, errc::corrupt);
    default: return logged(act, failure, errc::store_unavailable);
    }
}

errc explain_entry(std::string_view act, const store::sql_error& failure) {
    switch (failure.kind()) {
    case store::sql_failure::constraint_unique:
    case store::sql_failure::constraint_foreign: return logged(act, failure, errc::rejected);
    default: return explain(act, failure);
    }
}

}  // namespace floodgate::ledger
