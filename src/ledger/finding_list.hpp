// Collects sentences of one kind, up to a limit.

#pragma once

#include <fmt/format.h>

#include "ledger/inspection.hpp"

namespace floodgate::ledger {

class finder {
public:
    finder(findings& all, const char* kind) : all_(all), kind_(kind) {}

    void add(std::string sentence) {
        if (++found_ <= findings_per_kind_max) all_.push_back(std::move(sentence));
        if (found_ == findings_per_kind_max + 1)
            all_.push_back(fmt::format("{}: and more of this kind", kind_));
    }

private:
    findings& all_;
    const char* kind_;
    std::size_t found_ = 0;
};

}  // namespace floodgate::ledger
