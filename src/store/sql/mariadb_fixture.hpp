// For tests: a fresh database at the server that FLOODGATE_TEST_MARIADB names.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "store/sql/mariadb_database.hpp"

namespace floodgate::store {

class MariadbDatabaseTest : public testing::Test {
protected:
    void SetUp() override {
        const char* server = std::getenv("FLOODGATE_TEST_MARIADB");
        if (server == nullptr) GTEST_SKIP() << "FLOODGATE_TEST_MARIADB names no server";
        const std::string list = server;
        options_.addresses = {list.substr(0, list.find(','))};
        options_.user = "root";
        options_.password = "floodgate";
        options_.database = "floodgate_store_" + std::to_string(std::random_device{}());
        options_.io_timeout = std::chrono::seconds(10);
    }
    void TearDown() override {
        if (options_.addresses.empty()) return;
        open_mariadb(options_)->writer()->execute("DROP DATABASE `" + options_.database + "`");
    }

    std::unique_ptr<database> open() const { return open_mariadb(options_); }
    std::unique_ptr<database> open_with_table() const {
        auto db = open();
        db->writer()->execute(
            "CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, word TEXT, raw BLOB)");
        return db;
    }
    // Why the database cannot be opened, in words.
    static std::string refusal(const mariadb_options& options) {
        try {
            open_mariadb(options);
        } catch (const sql_error& e) {
            return e.what();
        }
        return "";
    }
    static std::vector<std::int64_t> ids(connection& c) {
        std::vector<std::int64_t> all;
        auto rows = c.ask("SELECT id FROM t ORDER BY id");
        while (rows.next()) all.push_back(rows.get<std::int64_t>(0));
        return all;
    }
    static std::int64_t number(connection& c, std::string_view sql) {
        auto rows = c.ask(sql);
        return rows.next() ? rows.get<std::int64_t>(0) : -1;
    }
    template <class Act>
    static std::optional<sql_failure> failure(Act act) {
        try {
            act();
        } catch (const sql_error& e) {
            return e.kind();
        }
        return std::nullopt;
    }
    // Ends every connection, as a restart of the server does.
    void end_all_connections() const {
        mariadb_options other = options_;
        other.database = "mysql";
        const auto db = open_mariadb(other);
        const auto c = db->writer();
        std::vector<std::int64_t> found;
        {
            auto rows = c->ask("SELECT id FROM information_schema.processlist WHERE db = ?",
                               options_.database);
            while (rows.next()) found.push_back(rows.get<std::int64_t>(0));
        }
        EXPECT_FALSE(found.empty());
        for (const auto id : found) c->execute("KILL " + std::to_string(id));
    }

    mariadb_options options_;
};

}  // namespace floodgate::store
