// /metrics: every figure of every stage in the text format of Prometheus.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "clerk/clerk.hpp"
#include "clerk/partition_keeper.hpp"
#include "cluster/bus.hpp"
#include "guard/security_events.hpp"
#include "http/figures.hpp"
#include "jobs/timed_jobs.hpp"
#include "journal/journal.hpp"
#include "ledger/switch_book.hpp"
#include "push/mailroom.hpp"
#include "sale/answer.hpp"

namespace floodgate::engine {

// What only a cluster has.
struct cluster_figures {
    std::uint64_t gate_calls = 0, gate_unanswered = 0, gate_cached_refusals = 0, to_release = 0;
    cluster::bus_figures bus;
    std::vector<clerk::keeper_figures> keepers;  // by partition
    std::size_t nodes_alive = 0;
    bool on_duty = false;  // this node runs the timed jobs
};

struct metrics_sources {
    std::array<std::uint64_t, sale::answers + 1> answers{};  // of the gate, by their number
    std::optional<journal::figures> journal{};
    std::optional<cluster_figures> cluster{};
    std::uint64_t backlog = 0;
    clerk::figures clerk{};
    http::figures edge;
    push::mailroom::figures results;
    jobs::timed_job_figures timed_jobs;
    const alarm::board& alarms;
    const shop::settlement& after;
    milliseconds clock_apart{0};
    std::size_t pool_waiting = 0;
    std::size_t logins = 0;
    guard::security_events::figures security{};
    ledger::switches switches{};
    std::string version = "?";
};

std::string metrics_page(const metrics_sources& from);

}  // namespace floodgate::engine
