// Runs acts on a database: again when another transaction was in the way, and with the database's
// exceptions turned into errc.

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::store {

// An act as a log line names it: {"ledger.failed", "moves.pay"}. The event begins with the folder
// of the caller.
struct act_name {
    std::string_view event;
    std::string_view act;
};

// A taken key becomes already_exists and a missing row that is referred to not_found. These are
// faults of the input and are not logged. The following are logged once, here: rejected, the
// database refuses the data; corrupt, its file is damaged; store_unavailable, everything else.
// fenced, another node has taken over, was logged by the database that refused.
errc explain(const act_name& name, const sql_error& failure);

// Logs the failure and gives `as`.
errc logged(const act_name& name, const sql_error& failure, errc as);

// How often and how long an act is run again because another transaction was in its way.
class conflict_retries {
public:
    // Waits a little, longer each time and with jitter, so that competitors do not meet again.
    // False: no further try.
    bool another();

private:
    std::uint64_t tries_ = 0;
    std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

template <class Act, class Explain>
auto run_again_on_conflict(Act& act, Explain explain_failure) -> decltype(act()) {
    for (conflict_retries left;;) {
        try {
            return act();
        } catch (const sql_error& failure) {
            if (failure.kind() != sql_failure::conflict || !left.another())
                return explain_failure(failure);
        }
    }
}

// Runs `act`, which gives a result<T> and may throw sql_error; its transaction is then rolled back.
// When another transaction was in the way, all of `act` is run again, so it must change nothing but
// the database and its own result.
template <class Act>
auto guarded(const act_name& name, Act&& act) -> decltype(act()) {
    return run_again_on_conflict(act, [&](const sql_error& e) { return explain(name, e); });
}

// For an act that passes rows to a visitor. It runs only once, so that no row is visited twice.
template <class Act>
auto guarded_visit(const act_name& name, Act&& act) -> decltype(act()) {
    try {
        return act();
    } catch (const sql_error& failure) {
        return explain(name, failure);
    }
}

}  // namespace floodgate::store
