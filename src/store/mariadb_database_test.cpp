#include "store/mariadb_database.hpp"
