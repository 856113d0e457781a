// A statement prepared at a MariaDB or MySQL server.
//
// Rows are read off the wire one by one, not gathered first: a million orders need no memory here.

#pragma once

#include <memory>
#include <string_view>

#include "store/sql/mariadb_session.hpp"
#include "store/sql/statement.hpp"

namespace floodgate::store {

// The session outlives it.
std::unique_ptr<statement> prepare_mariadb(mariadb_session& session, std::string_view sql);

}  // namespace floodgate::store
