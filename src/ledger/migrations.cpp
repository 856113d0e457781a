#include "ledger/migrations.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "base/log.hpp"
#include "store/sql/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::ledger {
namespace {

using store::sql_failure;

std::int64_t version_of(store::connection& c) {
    auto rows = c.ask("SELECT MAX(version) FROM schema_version");
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

// 0: there is no table of versions yet. A database that cannot be read also gives 0; running the
// steps then fails and reports the reason.
std::int64_t version_found(store::database& db) {
    try {
        return version_of(*db.reader());
    } catch (const store::sql_error&) {
        return 0;
    }
}

// In one transaction. Gives false when another process has run the step in the meantime.
bool run_at_once(store::connection& c, const migration& step) {
    store::transaction t(c, store::access::write);
    if (version_of(c) >= step.version) return false;
    for (const std::string_view sql : step.statements) c.execute(store::adapt(sql, c.speaks()));
    c.run("DELETE FROM schema_version");
    c.run("INSERT INTO schema_version (version) VALUES (?)", step.version);
    t.commit();
    return true;
}

std::int64_t statements_done(store::connection& c, const migration& step) {
    auto rows = c.ask("SELECT statements FROM schema_progress WHERE version = ?", step.version);
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

// What exists already was made by an earlier try that was cut off before it could note it, or is
// being made by another node.
void run_unless_done(store::connection& c, const std::string& sql) {
    try {
        c.execute(sql);
    } catch (const store::sql_error& e) {
        if (e.kind() != sql_failure::exists && e.kind() != sql_failure::constraint_unique) throw;
        log::info("ledger.migration_resumed", "passed_over", e.what());
    }
}

// For databases that commit every change of the schema alone. Each statement is noted when it is
// done, so that the next start after a crash goes on from there.
bool run_step_by_step(store::connection& c, const migration& step) {
    if (version_of(c) >= step.version) return false;
    std::int64_t number = 0;
    for (const std::string_view sql : step.statements) {
        ++number;
        if (statements_done(c, step) >= number) continue;
        run_unless_done(c, store::adapt(sql, c.speaks()));
        c.run(store::adapt("{insert_ignore} INTO schema_progress (version, statements) "
                           "VALUES (?, 0)",
                           c.speaks()),
              step.version);
        c.run("UPDATE schema_progress SET statements = ? WHERE version = ? AND statements < ?",
              number, step.version, number);
    }
    // The version never goes back, whatever another node does meanwhile.
    c.run(store::adapt("{insert_ignore} INTO schema_version (version) VALUES (?)", c.speaks()),
          step.version);
    c.run("DELETE FROM schema_version WHERE version < ?", step.version);
    return true;
}

// Nodes of a Galera cluster that start together abort each other's statements. All of `act` may be
// run again.
template <class Act>
auto until_undisturbed(Act act) {
    for (store::conflict_retries left;;) {
        try {
            return act();
        } catch (const store::sql_error& e) {
            if (e.kind() != sql_failure::conflict || !left.another()) throw;
        }
    }
}

bool run(store::connection& c, const migration& step) {
    if (c.speaks().transactional_schema) return run_at_once(c, step);
    return until_undisturbed([&] { return run_step_by_step(c, step); });
}

// A database on a server may belong to another program. Ours begins with the table of versions.
void expect_ours(store::connection& c) {
    auto rows = c.ask(
        "SELECT COUNT(*), SUM(table_name = 'schema_version') FROM information_schema.tables "
        "WHERE table_schema = DATABASE()");
    if (rows.next() && rows.get<std::int64_t>(0) > 0 && rows.get<std::int64_t>(1) == 0)
        throw std::runtime_error(
            "the database has tables, but they are not Floodgate's: give it one of its own");
}

void prepare(store::connection& c) {
    const bool at_once = c.speaks().transactional_schema;
    if (!at_once) expect_ours(c);
    c.execute(
        store::adapt("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT "
                     "NULL{also_key}){table_end}",
                     c.speaks()));
    if (at_once) return;
    c.execute(store::adapt(
        "CREATE TABLE IF NOT EXISTS schema_progress (version BIGINT NOT NULL PRIMARY KEY, "
        "statements BIGINT NOT NULL){table_end}",
        c.speaks()));
}

void expect_not_newer(std::int64_t found, std::int64_t newest) {
    if (found > newest)
        throw std::runtime_error(
            fmt::format("the ledger has schema version {}, this Floodgate knows up to {}: it was "
                        "written by a newer one; use that, or a backup",
                        found, newest));
}

}  // namespace

std::size_t migrate(store::database& db, std::span<const migration> steps) {
    const std::int64_t newest = steps.empty() ? 0 : steps.back().version;
    const std::int64_t before = version_found(db);
    expect_not_newer(before, newest);
    if (before == newest && before > 0) return 0;

    const auto c = db.migrator();
    until_undisturbed([&] { prepare(*c); });
    const std::int64_t found = version_of(*c);  // another node may have been faster
    expect_not_newer(found, newest);
    std::size_t ran = 0;
    for (const migration& step : steps) {
        if (step.version <= found) continue;
        if (!run(*c, step)) continue;
        ++ran;
    }
    if (ran > 0) log::info("ledger.migrated", "from", found, "to", newest);
    return ran;
}

}  // namespace floodgate::ledger
