// The live view: the last hour, second by second, for the console.
//
// Each second the node adds its own sample. It is put together with the latest samples of the other
// nodes, as far as they are known and fresh, and the result is kept in a ring. Memory is bounded:
// the ring keeps sums only; the list of sales and nodes is there once, for the present second.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/live_sample.hpp"

namespace floodgate::api {

// The sum of all nodes in one second.
struct live_moment {
    instant at{};
    std::int64_t nodes = 0;  // how many are in it
    std::array<std::int64_t, sale::answers + 1> answers{};
    live_counts counts{};
    live_peaks peaks{};
    live_units units{};
    std::int64_t decisions = 0;
    std::int64_t decision_p50_us = 0, decision_p99_us = 0, sync_p50_us = 0, sync_p99_us = 0;
};

// Any thread.
class live_view {
public:
    static constexpr std::size_t kept_max = 3600;         // seconds
    static constexpr milliseconds fresh_for{3000};        // a node that was silent longer is gone
    static constexpr std::size_t other_nodes_max = 1023;  // as many as node numbers

    // This node's sample: a second is over.
    void add(live_sample own);
    // What another node told. Texts that make no sense, and this node's own, are left out.
    void hear(std::string_view text);

    // {"type":"live","now":{...}}: what viewers are sent each second. Null: no sample yet.
    std::shared_ptr<const std::string> message() const;
    // {"every_ms","kept_s","history":[...],"now":{...}}: the last `seconds`, of which every
    // `step`-th is in the history.
    std::string page(std::size_t seconds, std::size_t step) const;
    // The nodes that were heard of in the last seconds, as JSON.
    std::string nodes() const;

private:
    std::vector<const live_sample*> fresh() const;  // the own one first

    mutable std::mutex mutex_;  // guards everything below
    std::vector<live_moment> ring_;
    std::size_t next_ = 0;  // place in the ring
    live_sample own_{};
    std::map<std::int64_t, live_sample> others_;  // by node
    live_moment now_{};
    std::vector<live_sale> sales_;
};

}  // namespace floodgate::api
