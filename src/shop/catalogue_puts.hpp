// The audit lines of products and sales that are put many at once.

#pragma once

#include "ledger/catalogue_batch.hpp"
#include "shop/audit_trail.hpp"

namespace floodgate::shop {

// The same lines as for single changes.
ledger::put_signer signer_of(const signature& by);

}  // namespace floodgate::shop
