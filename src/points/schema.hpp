// The tables of the accounts. They refer to no other folder's tables, so that they may live in
// another database.

#pragma once

#include "store/sql/migrations.hpp"

namespace floodgate::points {

store::schema tables();

}  // namespace floodgate::points
