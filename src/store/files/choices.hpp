// Decides what a crash leaves behind: by a seed, or every possibility in turn.

#pragma once

#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace floodgate::store {

// Picks one of `options` (at least 1): 0 .. options - 1.
using chooser = std::function<unsigned(unsigned options)>;

inline chooser seeded_choices(std::uint64_t seed) {
    return [engine = std::make_shared<std::mt19937_64>(seed)](unsigned options) {
        return static_cast<unsigned>((*engine)() % options);
    };
}

// Walks through every combination of choices, whatever number of them each walk makes:
//
//   every_choice choices;
//   do { run(choices.as_chooser()); } while (choices.next());
class every_choice {
public:
    chooser as_chooser() {
        at_ = 0;
        return [this](unsigned options) { return choose(options); };
    }

    // To the next combination; false when all have been seen.
    bool next() {
        while (!made_.empty() && made_.back().picked + 1 == made_.back().options) made_.pop_back();
        if (made_.empty()) return false;
        ++made_.back().picked;
        return true;
    }

private:
    struct choice {
        unsigned picked;
        unsigned options;
    };

    unsigned choose(unsigned options) {
        if (at_ == made_.size()) made_.push_back({0, options});
        return made_[at_++].picked;
    }

    std::vector<choice> made_;
    std::size_t at_ = 0;
};

}  // namespace floodgate::store
