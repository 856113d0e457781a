// One sale checked: what the book says against itself, and the gate against the book.
//
// The three are not seen at one moment: the gate before, the book, the gate after. What the gate
// gave and took back in between is known (both only grow), so the book's moment lies between two
// bounds, and only what lies outside them is a mismatch. On the book's side the bounds are what it
// holds, and that plus every promise not entered at that moment. With nothing moving and the line
// entered both become one number.

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
    book,   // the book does not add up by itself
    stock,  // the gate has another total
    fewer,  // the gate holds less than the book: it could oversell
    more,   // the gate holds more than is promised: it cannot sell what is there
};

struct gate_views {
    gate::standing before, after;
};

struct balance_check {
    sale::balance balance;  // without differences
    mismatch what = mismatch::none;
    std::int64_t units = 0;     // fewer, more: how many
    std::int64_t returned = 0;  // as the gate's standing has it
    std::string sentence;       // what is wrong
};

// `gate`: nothing when the gate does not hold the sale. `not_entered`: promises of all sales.
balance_check check_balance(const ledger::sale_tally& book, const std::optional<gate_views>& gate,
                            std::uint64_t not_entered);

// Whether mismatches are more than work in flight: one must be seen, as the same kind, in three
// looks in a row over 600 ms or longer. Units that the book has let go and the gate not yet look
// like `more`; they are believed to be on their way as long as as many come back.
class mismatch_watch {
public:
    void look(const balance_check& w, instant now);

    bool breached() const { return breached_; }  // until three looks in a row find nothing
    instant since() const { return since_; }     // when it was first seen

private:
    bool goes_on(const balance_check& w, instant now) const;

    mismatch what_ = mismatch::none;
    instant since_ = never;
    int looks_ = 0;                          // that saw it
    int agreed_ = 0;                         // that did not, after a breach
    std::int64_t units_ = 0, returned_ = 0;  // at the first of them
    bool breached_ = false;
};

}  // namespace floodgate::shop
