// One call of the take script: the attempts of one partition that it judges, and its reply.

#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "gate/gate_keys.hpp"
#include "sale/attempt.hpp"
#include "store/redis/command.hpp"

namespace floodgate::gate {

struct waiting_attempt {
    sale::attempt what;
    std::chrono::steady_clock::time_point deadline;
    sale::order_no order{};  // its number if it is accepted; the same when it is sent again
};

struct take_call {
    sale::partition at;
    std::vector<waiting_attempt> attempts;  // after group(): attempts of one sale stand together
    bool resent = false;                    // the call may have been executed before

    // Brings the attempts of each sale together, keeping their order.
    void group();
    struct circumstances {
        instant now;
        std::uint64_t backlog_max = 0;
        sale::line_place seen;  // the latest promise this node has heard of
    };
    store::words words(const gate_keys& keys, const circumstances& with) const;
    // Appends a verdict for every attempt and gives the place of the line's last promise. Empty,
    // with nothing appended, if this is not such a reply.
    std::optional<sale::line_place> read(std::string_view answer,
                                         std::vector<sale::verdict>& out) const;

private:
    bool read_verdicts(std::string_view answer, std::vector<sale::verdict>& out) const;
};

}  // namespace floodgate::gate
