// One call of the take script: attempts of one partition on their way to Redis, and its answer.

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
    sale::order_no order{};  // what it will be if it is accepted; the same when sent again
};

struct take_call {
    sale::partition at;
    std::vector<waiting_attempt> attempts;  // those of one sale stand together
    bool resent = false;                    // it may have been executed before

    // Brings the attempts of one sale together; their order stays.
    void group();
    struct circumstances {
        instant now;
        std::uint64_t backlog_max = 0;
        sale::line_place seen;  // the latest promise this node has heard of
    };
    store::words words(const gate_keys& keys, const circumstances& with) const;
    // Appends a verdict for every attempt, and gives the place of the line's last promise. Nothing,
    // and nothing appended: it is no such answer.
    std::optional<sale::line_place> read(std::string_view answer,
                                         std::vector<sale::verdict>& out) const;

private:
    bool read_verdicts(std::string_view answer, std::vector<sale::verdict>& out) const;
};

}  // namespace floodgate::gate
