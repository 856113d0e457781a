#include "store/sql/mariadb_scratch.hpp"

#include <cstdlib>
#include <random>
#include <stdexcept>

namespace floodgate::store {
namespace {

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> all;
    std::size_t from = 0;
    for (std::size_t comma = 0; comma != std::string::npos; from = comma + 1) {
        comma = list.find(',', from);
        all.push_back(list.substr(from, comma - from));
    }
    return all;
}

std::vector<std::string> tables_of(connection& c) {
    auto rows = c.ask(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND "
        "table_name NOT LIKE '%schema_version' AND table_name NOT LIKE '%schema_progress'");
    std::vector<std::string> names;
    while (rows.next()) names.push_back(rows.get<std::string>(0));
    return names;
}

}  // namespace

std::optional<std::string> test_server() {
    const char* named = std::getenv("FLOODGATE_TEST_MARIADB");
    if (named == nullptr || *named == '\0') return std::nullopt;
    return named;
}

mariadb_scratch::mariadb_scratch() {
    const auto server = test_server();
    if (!server) throw std::runtime_error("FLOODGATE_TEST_MARIADB is not set");
    options_.addresses = split(*server);
    options_.user = "root";
    options_.password = "floodgate";
    options_.database = "floodgate_test_" + std::to_string(std::random_device{}());
}

mariadb_scratch::~mariadb_scratch() {
    try {
        drop();
    } catch (const std::exception&) {
        // The server is gone: so is the database.
    }
}

void mariadb_scratch::drop() {
    open_mariadb(options_)->writer()->execute("DROP DATABASE `" + options_.database + "`");
}

void mariadb_scratch::empty(std::span<const std::string> when_emptied) {
    const auto db = open_mariadb(options_);
    const auto c = db->writer();
    const auto tables = tables_of(*c);
    if (tables.empty()) return;
    c->execute("SET SESSION foreign_key_checks = 0");
    for (const std::string& name : tables) c->execute("TRUNCATE TABLE " + name);
    for (const std::string& sql : when_emptied) c->execute(sql);
    c->execute("SET SESSION foreign_key_checks = 1");
}

}  // namespace floodgate::store
