// Loads sales from the ledger into the gate: one, or many with progress to be watched.
//
// The ledger is read and the gate is told under the catalogue's mutex, as admins do it: otherwise a
// sale that is paused in between would be opened again with what was read before.

#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "gate/turnstile.hpp"
#include "ledger/catalogue_book.hpp"

namespace floodgate::clerk {

struct warm_up_world {
    ledger::catalogue_book& catalogue;
    gate::turnstile& turnstile;
    std::mutex& catalogue_mutex;
};

// not_found; invalid: it is a draft; otherwise as the ledger and turnstile::warm_up say.
result<void> warm_up_sale(const warm_up_world& w, sale::sale_id id);

struct warm_up_progress {
    std::size_t total = 0, done = 0, failed = 0;  // sales; done: the failed ones too
    bool running = false;
    instant started_at = never;  // never: there was none yet
};

// One batch at a time.
class warm_up_batch {
public:
    explicit warm_up_batch(warm_up_world w) : world_(w) {}

    // Every sale that is published or paused. Blocks until it is through, in pieces, so that admins
    // get their turn. A sale that fails is logged and counted, and the rest goes on. conflict: one
    // is running.
    result<void> warm_all(instant now);
    result<void> warm(std::span<const sale::sale_id> ids, instant now);

    warm_up_progress progress() const;  // any thread

private:
    result<void> run(std::span<const sale::sale_id> ids);

    const warm_up_world world_;
    mutable std::mutex mutex_;
    warm_up_progress progress_;
};

}  // namespace floodgate::clerk
