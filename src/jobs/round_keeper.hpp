// Rounds by the clock: sales are loaded into the gate ahead of their round, and the log says when a
// round opened and ended.
//
// Nothing opens because of this: the gate judges each attempt by the moment it is made. So a clock
// that stands still, jumps or goes back can make a warm-up early or late, never a sale.

#pragma once

#include <map>
#include <mutex>
#include <set>

#include "shop/catalogue_desk.hpp"

namespace floodgate::jobs {

struct round_options {
    milliseconds lead{600'000};     // a sale is loaded so long before its round begins
    milliseconds read_every{1000};  // the catalogue
};

struct round_figures {                     // since start
    std::uint64_t warmed = 0, failed = 0;  // warm-ups; failed: tries
    std::uint64_t opened = 0, ended = 0;   // rounds that did while we looked
};

class round_keeper {
public:
    round_keeper(shop::catalogue_desk& desk, ledger::catalogue_book& catalogue, round_options o)
        : desk_(desk), catalogue_(catalogue), options_(o) {}

    // Call it often: it looks at the catalogue only every `read_every`. What fails is tried again
    // at the next look, and logged once.
    void step(instant now);

    round_figures read_figures() const;  // any thread

private:
    struct watched {
        instant starts_at, ends_at;
        bool opened = false, ended = false;
    };

    bool look(instant now);
    void load_ahead(const std::vector<sale::sale>& sales, instant now);
    void load(const sale::sale& s);
    void notice(const sale::round& r, instant now);
    void count(std::uint64_t round_figures::*which);

    shop::catalogue_desk& desk_;
    ledger::catalogue_book& catalogue_;
    const round_options options_;
    instant looked_at_ = never;
    bool unreadable_ = false;                    // and logged
    std::map<sale::sale_id, instant> warmed_;    // for the round that begins then
    std::set<sale::sale_id> failing_;            // and logged
    std::map<sale::round_id, watched> watched_;  // the first look at a round is silent
    mutable std::mutex mutex_;
    round_figures figures_;  // guarded by mutex_
};

}  // namespace floodgate::jobs
