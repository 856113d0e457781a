// Finished answers for /readyz and /metrics, which operators and their machines ask for all the
// time.
//
// An event loop takes them without waiting, and every reader shares the same text. So these
// requests never hold up buyers, however many there are, and a load balancer's request does not
// wait behind those of buyers.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/reply.hpp"
#include "base/clock.hpp"

namespace floodgate::api {

// For /readyz.
struct readiness {
    std::string why_not;                  // why purchases are not accepted; empty: they are
    std::vector<std::string> warnings{};  // what a person should look at, one line each
};

class operator_pages {
public:
    struct sources {
        std::function<api::readiness()> readiness;
        std::vector<std::string> durability;   // what an acknowledgement survives, one line each
        std::function<std::string()> metrics;  // Prometheus' text format; takes milliseconds
    };
    // A metrics page is shown for `kept`; after that the next request makes a new one. 0: every
    // request makes one.
    explicit operator_pages(sources from, milliseconds kept = milliseconds(1000));

    // Asks whether the node sells. To be called by a task of its own, several times a second.
    void look(instant now);

    // Any thread may call the following.

    // The result of the last look(): 200 {status: "ready", warnings, durability}, or 503
    // {status: "not_ready", reason, warnings, durability}. Also 503 when the last look is too old.
    reply readyz(instant now) const;

    // True: the page is too old, and this caller has to make a new one. Others get the old one
    // meanwhile, so that many requests at once make only one page.
    bool claim_metrics(instant now);
    void make_metrics();
    reply metrics() const;

private:
    struct seen {
        int status = 503;
        std::shared_ptr<const std::string> body;
        instant at;
    };

    const sources from_;
    const milliseconds kept_;
    std::atomic<std::int64_t> metrics_due_ms_{0};
    mutable std::mutex mutex_;  // held for a moment only; guards what follows
    seen ready_;
    std::shared_ptr<const std::string> metrics_;
};

}  // namespace floodgate::api
