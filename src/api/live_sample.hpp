// What one node saw in one second: the live view is made of these.
//
// A node takes its own sample (engine/live_sampler.hpp) and tells it to the others as JSON. The
// text is only ever read by nodes of the same cluster.

#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/histogram.hpp"
#include "sale/answer.hpp"
#include "sale/ids.hpp"

namespace floodgate::api {

// Where the units of a sale, or of many, are. `limbo` are units of orders that are given up, but
// whose payment channel has not said yet whether money came; `unpaid` is without them.
struct live_units {
    std::int64_t stock = 0, free = 0, promised = 0, unpaid = 0, limbo = 0, paid = 0, refunding = 0;

    friend bool operator==(const live_units&, const live_units&) = default;
};

struct live_sale {
    sale::sale_id id;
    live_units units{};
    bool breached = false;  // the units do not add up, and this is no work in flight

    friend bool operator==(const live_sale&, const live_sale&) = default;
};

// Nodes' numbers are added up.
struct live_counts {
    std::int64_t requests = 0, errors = 0, limited = 0;          // answers in the second
    std::int64_t logins = 0, logins_failed = 0, registered = 0;  // the same
    std::int64_t entered = 0;                                    // promises, the same
    std::int64_t backlog = 0, sockets = 0, connections = 0, waiters = 0, pool_waiting = 0;
};

// Of nodes' numbers the greatest counts: only one node does the work, or all see the same.
struct live_peaks {
    std::int64_t lag_ms = 0, payments_open = 0, letters_dead = 0, alerts = 0;
};

// How a node and its stores are.
struct live_state {
    std::int64_t node = 0;
    std::string reason{};                 // why it does not sell; empty: it sells
    std::vector<std::string> warnings{};  // one line each
    bool on_duty = true;                  // runs the timed jobs
    bool gate_answers = true, ledger_answers = true, ledger_enters = true;
    std::int64_t partitions = 1, partitions_kept = 1;
};

struct live_sample {
    instant at;
    live_state state{};
    std::array<std::int64_t, sale::answers + 1> answers{};  // in the second, by their number
    live_counts counts{};
    live_peaks peaks{};
    histogram::reading decisions{}, syncs{};  // of the second, in us
    std::vector<live_sale> sales{};           // only the node on duty knows them
    live_units units{};                       // of all sales, also those that are not listed
};

std::string to_text(const live_sample& s);
// Empty: not a sample, or one of another version.
std::optional<live_sample> parse_live_sample(std::string_view text);

// The tables by which the numbers above are named, read, written and added up.
struct named_count {
    const char* name;
    std::int64_t live_counts::*value;
};
struct named_peak {
    const char* name;
    std::int64_t live_peaks::*value;
};
struct named_unit {
    const char* name;
    std::int64_t live_units::*value;
};
std::span<const named_count> count_names();
std::span<const named_peak> peak_names();
std::span<const named_unit> unit_names();

// Adds the counts of the other; one with other bounds is left out.
void add_reading(histogram::reading& sum, const histogram::reading& other);
// What came since an earlier reading of the same histogram.
histogram::reading since(const histogram::reading& now, const histogram::reading& before);
// The value below which `part` (0..1) of the counted values lie, estimated within its range; 0 when
// nothing was counted.
double percentile(const histogram::reading& of, double part);

}  // namespace floodgate::api
