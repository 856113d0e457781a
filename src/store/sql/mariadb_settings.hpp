// What a commit survives at this server, as its settings say.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace floodgate::store {

class connection;

// Names and values of SHOW VARIABLES and SHOW STATUS; what the server does not know is missing.
using server_settings = std::map<std::string, std::string>;

server_settings read_mariadb_settings(connection& c);

// "mariadb 10.11.6 innodb_flush_log_at_trx_commit=1 sync_binlog=off doublewrite=on"
std::string describe_durability(const std::string& version, const server_settings& found);

// A line for each setting that promises less than "on disk when the commit returns".
std::vector<std::string> find_weaknesses(const server_settings& found);

}  // namespace floodgate::store
