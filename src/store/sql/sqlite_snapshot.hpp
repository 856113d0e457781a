// Copies of SQLite databases as they were at one moment, while other processes go on writing.
//
//   sqlite_snapshot now({data + "/ledger.db", data + "/points.db"});
//   ... nobody can write to any of them: look at what else belongs to this moment
//   now.let_writers_go_on();
//   now.copy(0, to + "/ledger.db");
//
// The writers wait only between the constructor and let_writers_go_on(), which should take
// milliseconds. The copies show that moment, however late they are made.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"

struct sqlite3;

namespace floodgate::store {

class sqlite_snapshot {
public:
    // The files must exist. Everything here throws sql_error: not a database, still locked by
    // another process after `patience`, no room.
    explicit sqlite_snapshot(std::vector<std::string> files,
                             milliseconds patience = milliseconds(30'000));
    ~sqlite_snapshot();
    sqlite_snapshot(const sqlite_snapshot&) = delete;
    sqlite_snapshot& operator=(const sqlite_snapshot&) = delete;

    void let_writers_go_on() { writers_.clear(); }
    // Makes the file `to`, which must not exist, with mode 0600.
    void copy(std::size_t which, const std::string& to);

private:
    struct closer {
        void operator()(sqlite3* handle) const;
    };
    using handle = std::unique_ptr<sqlite3, closer>;
    static handle open(const std::string& file, milliseconds patience);

    const std::vector<std::string> files_;
    std::vector<handle> readers_, writers_;
};

}  // namespace floodgate::store
