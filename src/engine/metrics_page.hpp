// /metrics: every figure of every stage in the text format of Prometheus.

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "care.hpp"
#include "clerk/clerk.hpp"
#include "clerk/partition_keeper.hpp"
#include "cluster/bus.hpp"
#include "edge/event_loop.hpp"
#include "journal/journal.hpp"
#include "sale/answer.hpp"

namespace floodgate {

// What only a cluster has.
struct cluster_figures {
    std::uint64_t gate_calls = 0, gate_unanswered = 0, gate_reflected = 0, to_release = 0;
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
