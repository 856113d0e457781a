// One sale checked: what the book says against itself, and the gate against the book.
//
// Gate and ledger cannot be read at one moment, so the gate is read before and after the ledger.
// The units that the gate gave and took back in between are known, because both counts only grow.
// So what the gate held when the ledger was read lies between two bounds. What it should have held
// lies between two bounds as well: the units that the ledger holds, and those plus every promise
// not entered yet. Only if these ranges do not overlap is there a mismatch. When nothing moves and
// every promise is entered, each range is one number.

#pragma once

#include <optional>
#include <string>

#include "gate/turnstile.hpp"
#include "ledger/tally_book.hpp"
#include "sale/balance.hpp"

namespace floodgate::shop {

// In order of precedence.
enum class mismatch : std::uint8_t {
    none = 1,
    book,   // the ledger does not add up by itself
    stock,  // the gate has another total
    fewer,  // the gate holds less than the ledger: it could oversell
    more,   // the gate holds more than is promised: some units cannot be sold
};

struct gate_views {
    gate::standing before, after;
};

struct balance_check {
    sale::balance balance;  // without differences
    mismatch what = mismatch::none;
    std::int64_t units = 0;     // fewer, more: how many
    std::int64_t returned = 0;  // from the gate's standing
    std::string sentence;       // what is wrong
};

// `gate` is empty if the gate does not hold the sale. `not_entered` counts promises of all sales.
balance_check check_balance(const ledger::sale_tally& book, const std::optional<gate_views>& gate,
                            std::uint64_t not_entered);

// Decides whether a mismatch is more than work in flight: it must be seen, with the same kind, in
// three looks in a row over at least 600 ms. Units that the ledger has released or withdrawn and
// the gate has not released yet look like `more`. As long as that many units come back meanwhile,
// they count as work in flight.
class mismatch_watch {
public:
    void look(const balance_check& w, instant now);

    bool breached() const { return breached_; }  // until three looks in a row find nothing
    instant since() const { return since_; }     // when it was first seen

private:
    bool goes_on(const balance_check& w, instant now) const;

    mismatch what_ = mismatch::none;
    instant since_ = never;
    int looks_ = 0;                          // looks that saw the mismatch
    int agreed_ = 0;                         // looks after a breach that did not
    std::int64_t units_ = 0, returned_ = 0;  // at the first look that saw it
    bool breached_ = false;
};

}  // namespace floodgate::shop
