// What operators and their machines ask all the time, /readyz and /metrics, as finished answers.
//
// An event loop takes them without waiting, and every reader shares the same text. So nobody who
// asks for them, however often, stands in the way of buyers, and a load balancer's question does
// not wait behind buyers' questions.

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
    std::string why_not;                  // purchases are not accepted; empty: they are
    std::vector<std::string> warnings{};  // what a person should look at, one line each
};

class operator_pages {
public:
    struct sources {
        std::function<api::readiness()> readiness;
        std::vector<std::string> durability;   // what holds, one line each
        std::function<std::string()> metrics;  // Prometheus' text format; takes milliseconds
    };
    // A metrics page is shown for `kept`, then the next one who asks has a new one made. 0:
    // everyone who asks has one made.
    explicit operator_pages(sources from, milliseconds kept = milliseconds(1000));

    // By a task of its own, several times a second: asks whether it sells.
    void look(instant now);

    // All below: any thread.

    // As it was when last looked at: 200 {status: "ready", warnings, durability}, or 503
    // {status: "not_ready", reason, warnings, durability}; 503 also when nobody has looked for
    // long.
    reply readyz(instant now) const;

    // Whether the page is too old and it is the caller who has it made. Others go on with the old
    // one, so that a crowd of askers has one page made, not one each.
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
