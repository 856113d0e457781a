// The checks behind account_book::check.

#pragma once

#include "base/finding_list.hpp"

namespace floodgate::store {
class connection;
}

namespace floodgate::points {

// Checks that
// - each account's lines are numbered without gaps, each begins where the one before it ended and
//   changes the balance as its event says, and the last ends at the account's balance;
// - an account has reserved, and has pending, what its open tries add up to;
// - the log tells of each try what its state says.
// Reads only; the caller's transaction gives one view of all tables.
findings inspect(store::connection& c);

}  // namespace floodgate::points
