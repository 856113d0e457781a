// A failure that may go on for a while: logged when it begins and when it ends, not for every try.
//
//   failure_log log_(log::level::warning, "queue.stream", "partition", 3);
//   log_.failed("no answer");   // queue.stream_failed partition=3 reason="no answer"
//   log_.failed("no answer");   // nothing
//   log_.succeeded();           // queue.stream_recovered partition=3 failures=2
//
// For one thread.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/log.hpp"

namespace floodgate {

class failure_log {
public:
    // `pairs` are part of both lines. `of_failure` is the level of the failure; the recovery is
    // logged as info.
    template <class... Pairs>
    failure_log(log::level of_failure, std::string event, const Pairs&... pairs)
        : level_(of_failure), event_(std::move(event)), pairs_(log::pairs_of(pairs...)) {}

    void failed(std::string_view reason) {
        if (++failures_ != 1) return;
        log::write(level_, event_ + "_failed", pairs_ + log::pairs_of("reason", reason));
    }
    void succeeded() {
        if (failures_ == 0) return;
        log::write(log::level::info, event_ + "_recovered",
                   pairs_ + log::pairs_of("failures", failures_));
        failures_ = 0;
    }
    // How many failures there have been in a row.
    std::uint64_t failures() const { return failures_; }

private:
    const log::level level_;
    const std::string event_, pairs_;
    std::uint64_t failures_ = 0;
};

}  // namespace floodgate
