// Everything that the catalogue tells the gate goes through here, and so does the brake: a sale is
// closed at the gate without waiting for the ledger, and stays closed until the ledger says so too.
//
// A closing is pending from the moment it is asked for until both the gate and the ledger have it.
// A warm-up or new terms sent to the gate meanwhile keep the sale closed, because they may have
// been read from the ledger before the closing.
//
// The gate needs all terms of a sale, so the brake remembers every sale as it was last read from
// the ledger. Pending closings are lost when the process ends: after a restart a sale is what the
// ledger says.

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/turnstile.hpp"
#include "ledger/ledger.hpp"
#include "shop/audit_trail.hpp"

namespace floodgate::shop {

struct closing {
    sale::sale_state to = sale::sale_state::paused;  // or ended
    actor by;
    instant at;
};

struct pending_closing {
    sale::sale sale;  // as it was
    closing what;
    bool written = false;  // the ledger has it, but the gate could not be told
    std::uint64_t tries = 0;
    instant next_try = never;  // never: the caller who asked for it still has to try the ledger
};

// Any thread.
class sale_brake {
public:
    explicit sale_brake(gate::turnstile& gate) : gate_(gate) {}

    // Remembers sales as the ledger has them now: all of them, or one.
    void remember(const std::vector<sale::sale>& all);
    void remember(const sale::sale& s);

    // Loads the sale into the gate, in the state of its pending closing if there is one. A draft is
    // not loaded. Errors as of turnstile::warm_up.
    result<void> tell(const sale::sale& s);

    // Whether the gate holds the sale right now. False while its partition is being rebuilt.
    bool gate_holds(sale::sale_id id) { return gate_.look_up(id).has_value(); }

    // The state of the sale, or its state once the ledger has the pending closing.
    sale::sale_state state_of(const sale::sale& s) const;

    // Closes the gate for a sale that is remembered as published or paused; the closing is then
    // pending. Empty: the sale is not remembered, or in another state, so the ledger must be asked.
    // An error comes from the gate; the closing is pending nevertheless.
    std::optional<result<void>> close_at_once(sale::sale_id id, const closing& what);
    // The same with terms that were just read from the ledger, in any state. A closing that is
    // pending already stays, so the first who asked signs the audit line.
    result<void> close(const sale::sale& s, const closing& what);

    std::optional<pending_closing> pending(sale::sale_id id) const;
    std::vector<sale::sale_id> due(instant now) const;

    // The ledger cannot be written now: sets the time of the next try, less and less often.
    void postpone(sale::sale_id id, instant now);
    // The ledger has the closing to this state: tells the gate the ledger's terms and ends the
    // closing. An error comes from the gate; the closing then stays pending, as written.
    result<void> finish(const sale::sale& as_written, sale::sale_state to, instant now);
    // Gives the closing up. The caller must tell the gate what it shall have instead.
    void drop(sale::sale_id id);

private:
    result<void> close_locked(const sale::sale& s, const closing& what);
    result<void> tell_closed(sale::sale s);

    gate::turnstile& gate_;
    // Held while the gate is told, so that the last decision is also told last.
    mutable std::mutex mutex_;
    std::map<sale::sale_id, sale::sale> remembered_;
    std::map<sale::sale_id, pending_closing> pending_;
};

}  // namespace floodgate::shop
