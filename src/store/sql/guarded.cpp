#include "store/sql/guarded.hpp"

#include <random>
#include <thread>

#include "base/backoff.hpp"
#include "base/log.hpp"

namespace floodgate::store {
namespace {

constexpr std::uint64_t tries_max = 20;  // Galera nodes that all want one row need more than ten
constexpr backoff pauses{std::chrono::milliseconds(2), std::chrono::milliseconds(100)};
// The wait for a lock takes some seconds, so twenty such waits would be too long.
constexpr std::chrono::seconds retry_for_max{10};

}  // namespace

bool conflict_retries::another() {
    if (++tries_ >= tries_max || std::chrono::steady_clock::now() - since_ > retry_for_max)
        return false;
    thread_local std::minstd_rand chance(std::random_device{}());
    std::this_thread::sleep_for(pauses.after(tries_, chance));
    return true;
}

errc logged(const act_name& name, const sql_error& failure, errc as) {
    log::error(name.event, "act", name.act, "kind", to_text(failure.kind()), "error",
               failure.what());
    return as;
}

errc explain(const act_name& name, const sql_error& failure) {
    switch (failure.kind()) {
    case sql_failure::constraint_unique: return errc::already_exists;
    case sql_failure::constraint_foreign: return errc::not_found;
    case sql_failure::rejected: return logged(name, failure, errc::rejected);
    case sql_failure::corrupt: return logged(name, failure, errc::corrupt);
    case sql_failure::fenced: return errc::fenced;
    default: return logged(name, failure, errc::store_unavailable);
    }
}

}  // namespace floodgate::store
