// External ids and metadata of products and sales, uploaded pictures.

#include "ledger/schema_steps.hpp"

namespace floodgate::ledger {

statements catalogue_tables() { return {}; }

}  // namespace floodgate::ledger
