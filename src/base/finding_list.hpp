// What a check found wrong, one sentence each: of each kind of fault up to a limit.

#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace floodgate {

using findings = std::vector<std::string>;

// Of each kind of fault this many are named; a last sentence says that there are more.
inline constexpr std::size_t findings_per_kind_max = 100;

// Collects sentences of one kind.
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

}  // namespace floodgate
