#include "ledger/guarded.hpp"

namespace floodgate::ledger {

errc explain_entry(std::string_view act, const store::sql_error& failure) {
    const store::act_name name{failed_event, act};
    switch (failure.kind()) {
    case store::sql_failure::constraint_unique:
    case store::sql_failure::constraint_foreign:
        return store::logged(name, failure, errc::rejected);
    default: return store::explain(name, failure);
    }
}

}  // namespace floodgate::ledger
