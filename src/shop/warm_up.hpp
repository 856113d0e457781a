// Loads a sale from the ledger into the gate.
//
// The ledger is read and the gate is told under the catalogue's mutex, as admins do it: otherwise a
// sale that is paused in between would be opened again with what was read before.

#pragma once

#include <mutex>

#include "base/result.hpp"
#include "gate/turnstile.hpp"
#include "ledger/catalogue_book.hpp"

namespace floodgate::shop {

struct warm_up_world {
    ledger::catalogue_book& catalogue;
    gate::turnstile& turnstile;
    std::mutex& catalogue_mutex;
};

// not_found; invalid: it is a draft; otherwise as the ledger and turnstile::warm_up say.
result<void> warm_up_sale(const warm_up_world& w, sale::sale_id id);

}  // namespace floodgate::shop
