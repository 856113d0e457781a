#include "commands/line_gap.hpp"

#include <fmt/format.h>

namespace floodgate::commands {

void gap_finder::see(sale::line_place last_of_entry, std::size_t promises) {
    if (found_ || last_of_entry.epoch != epoch_) return;
    const std::uint64_t first = last_of_entry.number + 1 - promises;
    if (first > next_) found_ = line_gap{next_, first - 1};
    next_ = last_of_entry.number + 1;
}

std::optional<line_gap> gap_finder::finish(std::uint64_t last) const {
    if (!found_ && next_ <= last) return line_gap{next_, last};
    return found_;
}

std::optional<std::string> partition_mismatch(sale::partition p, const gate::partition_state& gate,
                                              sale::line_place entered) {
    if (gate.epoch != entered.epoch)
        return fmt::format("partition {}: the gate is in epoch {}, the ledger in {}", p.number,
                           gate.epoch, entered.epoch);
    if (gate.appended < entered.number)
        return fmt::format("partition {}: the ledger has entered {} promises, the line ends at {}",
                           p.number, entered.number, gate.appended);
    return std::nullopt;
}

}  // namespace floodgate::commands
