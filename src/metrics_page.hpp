// /metrics: every figure of every stage in the text format of Prometheus.

#pragma once

#include <string>

#include "care.hpp"
#include "clerk/clerk.hpp"
#include "edge/event_loop.hpp"
#include "gate/embedded_turnstile.hpp"
#include "journal/journal.hpp"

namespace floodgate {

struct metrics_sources {
    gate::embedded_turnstile::counts gate;
    journal::figures journal;
    std::uint64_t backlog = 0;
    clerk::figures clerk;
    edge::event_loop::figures edge;
    edge::mailroom::figures results;
    care_figures care;
    const alarm::board& alarms;
    const clerk::aftermath& after;
    milliseconds clock_apart{0};
    std::size_t pool_waiting = 0;
    std::size_t logins = 0;
};

std::string metrics_page(const metrics_sources& from);

}  // namespace floodgate
