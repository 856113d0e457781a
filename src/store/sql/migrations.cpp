#include "store/sql/migrations.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "base/log.hpp"
#include "store/sql/guarded.hpp"
#include "store/sql/sql.hpp"

namespace floodgate::store {
namespace {

// The tables of versions have names of their own in each schema. In `sql`, @ is the prefix.
std::string in_schema(const schema& of, std::string_view sql) {
    std::string text;
    for (const char c : sql) {
        if (c == '@') text += of.prefix;
        if (c != '@') text += c;
    }
    return text;
}

std::int64_t version_of(connection& c, const schema& of) {
    auto rows = c.ask(in_schema(of, "SELECT MAX(version) FROM @schema_version"));
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

// 0: there is no table of versions yet. A database that cannot be read also gives 0; running the
// steps then fails and reports the reason.
std::int64_t version_found(database& db, const schema& of) {
    try {
        return version_of(*db.reader(), of);
    } catch (const sql_error&) {
        return 0;
    }
}

// In one transaction. Gives false when another process has run the step in the meantime.
bool run_at_once(connection& c, const schema& of, const migration& step) {
    transaction t(c, access::write);
    if (version_of(c, of) >= step.version) return false;
    for (const std::string_view sql : step.statements) c.execute(adapt(sql, c.speaks()));
    c.run(in_schema(of, "DELETE FROM @schema_version"));
    c.run(in_schema(of, "INSERT INTO @schema_version (version) VALUES (?)"), step.version);
    t.commit();
    return true;
}

std::int64_t statements_done(connection& c, const schema& of, const migration& step) {
    const std::string sql =
        in_schema(of, "SELECT statements FROM @schema_progress WHERE version = ?");
    auto rows = c.ask(sql, step.version);
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

// What exists already was made by an earlier try that was cut off before it could note it, or is
// being made by another node.
void run_unless_done(connection& c, const schema& of, const std::string& sql) {
    try {
        c.execute(sql);
    } catch (const sql_error& e) {
        if (e.kind() != sql_failure::exists && e.kind() != sql_failure::constraint_unique) throw;
        log::info(fmt::format("{}.migration_resumed", of.folder), "passed_over", e.what());
    }
}

void note_statement(connection& c, const schema& of, const migration& step, std::int64_t number) {
    c.run(adapt(in_schema(of,
                          "{insert_ignore} INTO @schema_progress (version, statements) "
                          "VALUES (?, 0)"),
                c.speaks()),
          step.version);
    c.run(in_schema(of,
                    "UPDATE @schema_progress SET statements = ? WHERE version = ? AND "
                    "statements < ?"),
          number, step.version, number);
}

void forget_versions_below(connection& c, const schema& of, std::int64_t version) {
    c.run(in_schema(of, "DELETE FROM @schema_version WHERE version < ?"), version);
}

// For databases that commit every change of the schema alone. Each statement is noted when it is
// done, so that the next start after a crash goes on from there.
bool run_step_by_step(connection& c, const schema& of, const migration& step) {
    if (version_of(c, of) >= step.version) return false;
    std::int64_t number = 0;
    for (const std::string_view sql : step.statements) {
        ++number;
        if (statements_done(c, of, step) >= number) continue;
        run_unless_done(c, of, adapt(sql, c.speaks()));
        note_statement(c, of, step, number);
    }
    // The version never goes back, whatever another node does meanwhile.
    c.run(adapt(in_schema(of, "{insert_ignore} INTO @schema_version (version) VALUES (?)"),
                c.speaks()),
          step.version);
    forget_versions_below(c, of, step.version);
    return true;
}

// Nodes of a Galera cluster that start together abort each other's statements. All of `act` may be
// run again.
template <class Act>
auto until_undisturbed(Act act) {
    for (conflict_retries left;;) {
        try {
            return act();
        } catch (const sql_error& e) {
            if (e.kind() != sql_failure::conflict || !left.another()) throw;
        }
    }
}

bool run(connection& c, const schema& of, const migration& step) {
    if (c.speaks().transactional_schema) return run_at_once(c, of, step);
    return until_undisturbed([&] { return run_step_by_step(c, of, step); });
}

// A database on a server may belong to another program. Ours has a table of versions, whichever
// folder made it.
void expect_ours(connection& c) {
    auto rows = c.ask(
        "SELECT COUNT(*), SUM(table_name LIKE '%schema_version') FROM information_schema.tables "
        "WHERE table_schema = DATABASE()");
    if (rows.next() && rows.get<std::int64_t>(0) > 0 && rows.get<std::int64_t>(1) == 0)
        throw std::runtime_error(
            "the database has tables, but they are not Floodgate's: give it one of its own");
}

void prepare(connection& c, const schema& of) {
    const bool at_once = c.speaks().transactional_schema;
    if (!at_once) expect_ours(c);
    c.execute(adapt(in_schema(of,
                              "CREATE TABLE IF NOT EXISTS @schema_version (version BIGINT NOT "
                              "NULL{also_key}){table_end}"),
                    c.speaks()));
    if (at_once) return;
    c.execute(adapt(in_schema(of,
                              "CREATE TABLE IF NOT EXISTS @schema_progress (version BIGINT NOT "
                              "NULL PRIMARY KEY, statements BIGINT NOT NULL){table_end}"),
                    c.speaks()));
}

void expect_not_newer(const schema& of, std::int64_t found, std::int64_t newest) {
    if (found > newest)
        throw std::runtime_error(
            fmt::format("the tables of {} have schema version {}, this Floodgate knows up to {}: "
                        "they were written by a newer one; use that, or a backup",
                        of.folder, found, newest));
}

}  // namespace

std::size_t migrate(database& db, const schema& wanted) {
    const std::int64_t newest = wanted.steps.empty() ? 0 : wanted.steps.back().version;
    const std::int64_t before = version_found(db, wanted);
    expect_not_newer(wanted, before, newest);
    if (before == newest && before > 0) return 0;

    const auto c = db.migrator();
    until_undisturbed([&] { prepare(*c, wanted); });
    const std::int64_t found = version_of(*c, wanted);  // another node may have been faster
    expect_not_newer(wanted, found, newest);
    std::size_t ran = 0;
    for (const migration& step : wanted.steps) {
        if (step.version <= found) continue;
        if (!run(*c, wanted, step)) continue;
        ++ran;
    }
    // A slow node may have noted a version when others were past it already.
    if (!c->speaks().transactional_schema)
        until_undisturbed([&] { forget_versions_below(*c, wanted, newest); });
    if (ran > 0) log::info(fmt::format("{}.migrated", wanted.folder), "from", found, "to", newest);
    return ran;
}

}  // namespace floodgate::store
