// Makes the gate forget sales that are over, which frees their memory or their keys in Redis. The
// ledger keeps them, and admins still see them.

#pragma once

#include <atomic>

#include "gate/turnstile.hpp"
#include "ledger/ledger.hpp"
#include "shop/in_flight.hpp"
#include "shop/node.hpp"
#include "shop/sale_memory.hpp"

namespace floodgate::jobs {

struct sale_forgetter_options {
    shop::sale_memory memory{};
    milliseconds look_every{10'000};  // at the catalogue
};

class sale_forgetter {
public:
    struct world {
        ledger::ledger& book;
        gate::turnstile& gate;
        shop::in_flight& between;
        shop::node& node;
    };
    sale_forgetter(const world& w, sale_forgetter_options o) : world_(w), options_(o) {}

    // To be called often. A sale that is not settled yet, or whose forgetting fails, is tried again
    // at the next look.
    void step(instant now);

    std::uint64_t forgotten() const { return forgotten_; }  // since start; any thread

private:
    std::vector<sale::sale> over_and_loaded(instant now);
    bool forget(const sale::sale& s);

    const world world_;
    const sale_forgetter_options options_;
    instant looked_at_ = never;
    std::atomic<std::uint64_t> forgotten_{0};
};

}  // namespace floodgate::jobs
