// Fencing numbers: whoever takes over a task gets the next one, and the book refuses the writes of
// whoever had it before (fenced_database.hpp).

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

    // The next number of this fence, from 1, durable. Callers at the same time get different ones.
    // From here on lower numbers may not write. invalid: a name has 1 to 64 bytes.
    result<std::uint64_t> raise(const std::string& name);

private:
    store::database& db_;
};

}  // namespace floodgate::ledger
