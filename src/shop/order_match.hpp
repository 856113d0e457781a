// Compares the orders of one sale at the gate and in the ledger: which of them does only one side
// have?

#pragma once

#include <string>
#include <vector>

#include "gate/turnstile.hpp"
#include "ledger/ledger.hpp"
#include "shop/in_flight.hpp"

namespace floodgate::shop {

struct match_world {
    ledger::ledger& book;
    gate::turnstile& turnstile;
    in_flight& between;
};

// In order of number. An order with different quantities on the two sides is in both lists.
struct order_differences {
    std::vector<gate::held_unit> only_gate;  // not in flight either
    std::vector<ledger::held_order> only_book;
};

// Reads the gate, what is on its way and the book, in this order: a promise is found in one of
// them. Slow, and the gate stands still for a part of it.
// Errors: those of the ledger and of in_flight::of_sale.
result<order_differences> match_orders(const match_world& w, sale::sale_id id);

// One sentence each, for at most `max` of them.
std::vector<std::string> say(ledger::ledger& book, const order_differences& d, std::size_t max);

// Make the gate agree with the ledger: release what only the gate holds, retake what it has lost.
void release_at_gate(const match_world& w, sale::sale_id id, const order_differences& d,
                     ledger::repair_report& report);
void retake_at_gate(const match_world& w, const order_differences& d,
                    ledger::repair_report& report);

}  // namespace floodgate::shop
