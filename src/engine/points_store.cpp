#include "engine/points_store.hpp"

#include "engine/open_ledger.hpp"
#include "points/account_book.hpp"
#include "points/remote_accounts.hpp"

namespace floodgate::engine {

points_store::points_store(const settings& s) {
    if (!s.points.enabled) return;
    if (!s.points.live_elsewhere()) {
        database_ = open_points_database(s);
        accounts_ = std::make_unique<points::account_book>(*database_);
        return;
    }
    caller_ = std::make_unique<store::curl_caller>(
        store::http_caller_options{.connect = s.points.answer_within,
                                   .total = s.points.answer_within,
                                   .allow_private = true});  // it is the operator's own
    accounts_ = std::make_unique<points::remote_accounts>(
        points::remote_accounts::place{s.points.url, read_points_secret(s.points.secret_file)},
        *caller_);
}

}  // namespace floodgate::engine
