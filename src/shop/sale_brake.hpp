// What the gate is told of sales, and the brake: a sale is closed at the gate without waiting for
// the book, and stays closed until the book says so too.
//
// A closing is pending from the moment it is asked for until both the gate and the book have it.
// Whatever else is told to the gate meanwhile (a warm-up, new terms) keeps the pending state: it
// may have been read from the book before the sale was closed.
//
// The gate wants all terms of a sale, so the brake remembers every sale as it was last read from
// the book. Pending closings live as long as the process: a restart makes a sale what the book
// says.

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/turnstile.hpp"
#include "ledger/ledger.hpp"

namespace floodgate::shop {

// On whose behalf something is done.
struct actor {
    sale::user_id who{};             // 0: Floodgate itself
    std::string address{};           // the network the admin came from
    std::string why{};               // what made Floodgate act
    ledger::ledger* book = nullptr;  // written through this one (a fenced one), not the desk's own
};

struct closing {
    sale::sale_state to = sale::sale_state::paused;  // or ended
    actor by;
    instant at;
};

struct pending_closing {
    sale::sale sale;  // as it was
    closing what;
    bool written = false;  // the book has it, the gate could not be told
    std::uint64_t tries = 0;
    instant next_try = never;  // at first the one who asked for it sees to the book
};

// Any thread.
class sale_brake {
public:
    explicit sale_brake(gate::turnstile& gate) : gate_(gate) {}

    // As the book has them now: all of them, or one.
    void remember(const std::vector<sale::sale>& all);
    void remember(const sale::sale& s);

    // Loads the sale into the gate; with a closing pending, in its state. A draft is not told.
    // Errors as turnstile::warm_up.
    result<void> tell(const sale::sale& s);

    // Whether the gate holds the sale right now. Not while its partition is being rebuilt.
    bool gate_holds(sale::sale_id id) { return gate_.look_up(id).has_value(); }

    // The state the sale is in, or will be when the book has followed.
    sale::sale_state state_of(const sale::sale& s) const;

    // Closes the gate for a sale that is remembered as published or paused, and has the closing
    // pending. Nothing: it is not known here, or not in such a state: ask the book. An error is the
    // gate's; the closing is pending nevertheless.
    std::optional<result<void>> close_at_once(sale::sale_id id, const closing& what);
    // The same with terms that were just read from the book, in any state. A closing that is
    // pending already stays: the first to ask signs the audit line.
    result<void> close(const sale::sale& s, const closing& what);

    std::optional<pending_closing> pending(sale::sale_id id) const;
    std::vector<sale::sale_id> due(instant now) const;

    // The book cannot be written now: try again later, less and less often.
    void postpone(sale::sale_id id, instant now);
    // The book has the closing to this state: the gate is told the book's terms, and the closing is
    // done. An error is the gate's: the closing stays pending, as written.
    result<void> finish(const sale::sale& as_written, sale::sale_state to, instant now);
    // The closing will not be. What the gate shall have instead, it must be told.
    void drop(sale::sale_id id);

private:
    result<void> close_locked(const sale::sale& s, const closing& what);
    result<void> tell_closed(sale::sale s);

    gate::turnstile& gate_;
    // Held while the gate is told, so that what is told last was decided last.
    mutable std::mutex mutex_;
    std::map<sale::sale_id, sale::sale> remembered_;
    std::map<sale::sale_id, pending_closing> pending_;
};

}  // namespace floodgate::shop
