// Fencing numbers. A node that takes over a task gets the next number, and from then on the ledger
// refuses the writes of the node that had the task before (fenced_database.hpp).

#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace floodgate::store {
class database;
}

namespace floodgate::ledger {

inline constexpr std::size_t fence_name_size_max = 64;

class fence_book {
public:
    explicit fence_book(store::database& db) : db_(db) {}

    // The next number of this fence, from 1; it is durable. Callers at the same time get different
    // numbers. From now on lower numbers may not write. invalid: the name must have 1 to 64 bytes.
    result<std::uint64_t> raise(const std::string& name);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
