// What a partition's line should hold and does not: judged from its entries, read in order.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gate/redis_turnstile.hpp"
#include "sale/line_id.hpp"
#include "sale/partition.hpp"

namespace floodgate::commands {

struct line_gap {
    std::uint64_t from = 0, to = 0;
    bool operator==(const line_gap&) const = default;
};

class gap_finder {
public:
    // The ledger has entered everything up to here.
    explicit gap_finder(sale::line_place entered)
        : epoch_(entered.epoch), next_(entered.number + 1) {}

    // The next entry of the line: the number of its last promise, and how many it holds. Entries of
    // another epoch are left out.
    void see(sale::line_place last_of_entry, std::size_t promises);
    // The first numbers that should be there up to `last`, and are not.
    std::optional<line_gap> finish(std::uint64_t last) const;

private:
    const std::uint64_t epoch_;
    std::uint64_t next_;
    std::optional<line_gap> found_;
};

// Why the gate's partition cannot belong to the ledger's position; empty when it may.
std::optional<std::string> partition_mismatch(sale::partition p, const gate::partition_state& gate,
                                              sale::line_place entered);

}  // namespace floodgate::commands
