// Keeps this node's list of API keys and disabled users (guard/access_list.hpp) as the ledger has
// it.
//
// A change on this node is read at once. The changes of other nodes, and of the command line, are
// noticed by a revision in the ledger, which is read twice a second; the bus makes it faster. While
// the ledger cannot be read, the node goes on with the list it has.

#pragma once

#include <mutex>
#include <unordered_map>

#include "base/periodic_task.hpp"
#include "base/result.hpp"
#include "guard/access_list.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::shop {

// Any thread.
class access_register {
public:
    access_register(ledger::ledger& book, const floodgate::clock& clock);

    const guard::access_lists& lists() const { return lists_; }

    result<void> reload();
    // Reloads if the ledger's revision has changed, and writes down which keys were used.
    void follow();

    void start() { following_.start(); }
    void stop() { following_.stop(); }
    void wake() { following_.wake(); }

    // A key was used. It is written to the ledger at most once a minute for each key.
    void note_use(std::int64_t key, instant now);

    static constexpr milliseconds follow_every{500};
    static constexpr milliseconds uses_written_every{60'000};

private:
    struct use {
        instant last{}, written{};
    };
    void write_uses();

    ledger::ledger& book_;
    const floodgate::clock& clock_;
    guard::access_lists lists_;
    std::mutex reloading_;                        // guards what follows
    std::int64_t revision_ = 0;                   // of lists_
    std::mutex using_;                            // guards what follows
    std::unordered_map<std::int64_t, use> uses_;  // one for each key that was used
    periodic_task following_;
};

}  // namespace floodgate::shop
