// Ledgers for one measurement, over SQLite and over MariaDB.

#pragma once

#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>

#include "ledger_crowd.hpp"
#include "store/sql/mariadb_database.hpp"
#include "store/sql/sqlite_database.hpp"

namespace floodgate::bench {

// A file in FLOODGATE_BENCH_DIR, or in the temporary directory.
class sqlite_scratch {
public:
    sqlite_scratch() {
        const char* chosen = std::getenv("FLOODGATE_BENCH_DIR");
        std::filesystem::path base =
            chosen != nullptr ? chosen : std::filesystem::temp_directory_path();
        std::string pattern = base / "ledger-bench-XXXXXX";
        if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no directory");
        path_ = pattern;
    }
    ~sqlite_scratch() { std::filesystem::remove_all(path_); }
    sqlite_scratch(const sqlite_scratch&) = delete;
    sqlite_scratch& operator=(const sqlite_scratch&) = delete;

    std::string file() const { return path_ / "ledger.db"; }
    ledger::ledger open() const { return ledger::ledger(store::open_sqlite({.path = file()})); }

private:
    std::filesystem::path path_;
};

inline const char* server() { return std::getenv("FLOODGATE_TEST_MARIADB"); }

// A database of its own on the server that FLOODGATE_TEST_MARIADB names.
class mariadb_scratch {
public:
    mariadb_scratch() {
        options_.addresses = {server()};
        options_.user = "root";
        options_.password = "floodgate";
        options_.database = "floodgate_bench_" + std::to_string(std::random_device{}());
    }
    ~mariadb_scratch() {
        store::open_mariadb(options_)->writer()->execute("DROP DATABASE " + name());
    }
    mariadb_scratch(const mariadb_scratch&) = delete;
    mariadb_scratch& operator=(const mariadb_scratch&) = delete;

    const std::string& name() const { return options_.database; }
    ledger::ledger open() const { return ledger::ledger(store::open_mariadb(options_)); }

private:
    store::mariadb_options options_;
};

}  // namespace floodgate::bench
