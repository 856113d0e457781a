// Remembers tokens that no node knows for a while, so that asking again costs nothing.
//
// Tokens are random, so one that was certainly unknown when the other nodes were asked cannot
// become a log-in later. Do not add a token while the stores cannot be reached. Any thread.

#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include <mutex>

#include "base/clock.hpp"
#include "sale/user.hpp"

namespace floodgate::guard {

class unknown_tokens {
public:
    struct options {
        milliseconds remembered{30'000};  // at most; at least half of it while there is room
        std::size_t max = 100'000;        // 32 bytes each
    };
    unknown_tokens() : unknown_tokens(options{}) {}
    explicit unknown_tokens(options o) : options_(o) {}

    void add(const sale::token_hash& hash, instant now);
    bool contains(const sale::token_hash& hash, instant now);

private:
    struct hash_bits {
        using is_avalanching = void;
        std::size_t operator()(const sale::token_hash& hash) const noexcept;
    };
    using hashes = boost::unordered_flat_set<sale::token_hash, hash_bits>;

    void forget_the_old(instant now);

    const options options_;
    std::mutex mutex_;
    hashes newer_, older_;  // two halves; forgetting drops one without looking at every entry
    instant began_{};       // when `newer_` began
};

}  // namespace floodgate::guard
