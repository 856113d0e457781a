// Loads sales into the gate ahead of their rounds, and logs when a round opened and ended.
//
// This opens no sale: the gate judges each attempt by the time at which it is made. So a step that
// comes early, late or not at all can shift a warm-up, but never the opening of a sale.

#pragma once

#include <map>
#include <mutex>
#include <set>

#include "shop/catalogue_desk.hpp"

namespace floodgate::jobs {

struct round_options {
    milliseconds lead{600'000};     // how long before its round a sale is loaded
    milliseconds read_every{1000};  // how often the catalogue is read
};

struct round_figures {                     // since start
    std::uint64_t warmed = 0, failed = 0;  // warm-ups, and failed tries of them
    std::uint64_t opened = 0, ended = 0;   // rounds that did while this node watched
};

class round_keeper {
public:
    round_keeper(shop::catalogue_desk& desk, ledger::catalogue_book& catalogue, round_options o)
        : desk_(desk), catalogue_(catalogue), options_(o) {}

    // To be called often: it reads the catalogue only every `read_every`. A warm-up that fails is
    // tried again at the next look, and logged once.
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
    std::map<sale::sale_id, instant> warmed_;    // the beginning of the round it was loaded for
    std::set<sale::sale_id> failing_;            // sales whose failure was logged
    std::map<sale::round_id, watched> watched_;  // the first look at a round is silent
    mutable std::mutex mutex_;
    round_figures figures_;  // guarded by mutex_
};

}  // namespace floodgate::jobs
