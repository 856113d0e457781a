// A failure that may go on for a while: logged when it begins and when it ends, not for every try.

#pragma once

#include <cstdint>
#include <string>

#include "base/log.hpp"

namespace floodgate::clerk {

class trouble {
public:
    explicit trouble(std::string who) : who_(std::move(who)) {}

    void note(const std::string& reason) {
        if (++failures_ == 1) log::error("clerk.failed", "who", who_, "reason", reason);
    }
    void over() {
        if (failures_ == 0) return;
        log::info("clerk.recovered", "who", who_, "failures", failures_);
        failures_ = 0;
    }

private:
    const std::string who_;
    std::uint64_t failures_ = 0;  // in a row
};

}  // namespace floodgate::clerk
