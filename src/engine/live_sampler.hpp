// Takes a sample of this node each second, for the live view of the console.
//
// It reads the figures that /metrics shows, which are counted anyway, and compares them with those
// of a second ago. Where the units are comes from the latest reconciliation. So a sample costs the
// purchase path nothing and the ledger at most one short query, for orders in limbo.

#pragma once

#include <map>
#include <optional>

#include "api/live_view.hpp"
#include "engine/metrics_page.hpp"
#include "engine/readiness.hpp"
#include "ledger/move_book.hpp"

namespace floodgate::engine {

class live_sampler {
public:
    static constexpr std::size_t sales_listed_max = 50;  // those that changed last

    live_sampler(std::int64_t node, ledger::move_book& moves) : node_(node), moves_(moves) {}

    // Rates are those since the last call; the first sample has none.
    api::live_sample take(const metrics_sources& from, const store_sight& stores,
                          const api::readiness& ready, instant now);

private:
    struct known_sale {
        api::live_sale seen;
        instant changed_at{};
    };
    struct totals {  // of counters, since the start
        instant at;
        decltype(metrics_sources::answers) answers;
        histogram::reading decisions, syncs;
        std::int64_t requests = 0, errors = 0, limited = 0, logins = 0, logins_failed = 0,
                     registered = 0, entered = 0;
    };
    static totals totals_of(const metrics_sources& from, instant now);
    void add_rates(api::live_sample& to, const totals& now) const;
    void add_sales(api::live_sample& to, const metrics_sources& from, instant now);
    std::map<sale::sale_id, std::int64_t> units_in_limbo();

    const std::int64_t node_;
    ledger::move_book& moves_;
    std::optional<totals> before_;
    std::map<sale::sale_id, known_sale> sales_;
};

}  // namespace floodgate::engine
