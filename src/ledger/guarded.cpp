#include "ledger/guarded.hpp"

#include <random>
#include <thread>

#include "base/backoff.hpp"
#include "base/log.hpp"

namespace floodgate::ledger {
namespace {

constexpr std::uint64_t tries_max = 20;  // Galera nodes that all want one row need more than ten
constexpr backoff pauses{std::chrono::milliseconds(2), std::chrono::milliseconds(100)};
// The wait for a lock takes some seconds, so twenty such waits would be too long.
constexpr std::chrono::seconds retry_for_max{10};

errc logged(std::string_view act, const store::sql_error& failure, errc as) {
    log::error("ledger.failed", "act", act, "kind", store::to_text(failure.kind()), "error",
               failure.what());
    return as;
}

}  // namespace

bool conflict_retries::another() {
    if (++tries_ >= tries_max || std::chrono::steady_clock::now() - since_ > retry_for_max)
        return false;
    thread_local std::minstd_rand chance(std::random_device{}());
    std::this_thread::sleep_for(pauses.after(tries_, chance));
    return true;
}

errc explain(std::string_view act, const store::sql_error& failure) {
    switch (failure.kind()) {
    case store::sql_failure::constraint_unique: return errc::already_exists;
    case store::sql_failure::constraint_foreign: return errc::not_found;
    case store::sql_failure::rejected: return logged(act, failure, errc::rejected);
    case store::sql_failure::corrupt: return logged(act, failure, errc::corrupt);
    case store::sql_failure::fenced: return errc::fenced;
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
