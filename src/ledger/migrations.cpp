#include "ledger/migrations.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string>

#include "base/log.hpp"
#include "store/sql.hpp"

namespace floodgate::ledger {
namespace {

std::int64_t version_of(store::connection& c) {
    auto rows = c.ask("SELECT MAX(version) FROM schema_version");
    return rows.next() ? rows.get<std::int64_t>(0) : 0;
}

// Gives false when another node has run the step in the meantime.
bool run(store::connection& c, const migration& step) {
    store::transaction t(c, store::access::write);
    if (version_of(c) >= step.version) return false;
    for (const std::string_view sql : step.statements) c.execute(store::adapt(sql, c.speaks()));
    c.run("DELETE FROM schema_version");
    c.run("INSERT INTO schema_version (version) VALUES (?)", step.version);
    t.commit();
    log::info("ledger.migrated", "version", step.version);
    return true;
}

}  // namespace

std::size_t migrate(store::database& db, std::span<const migration> steps) {
    const auto c = db.writer();
    c->execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)");
    const std::int64_t found = version_of(*c);
    const std::int64_t newest = steps.empty() ? 0 : steps.back().version;
    if (found > newest)
        throw std::runtime_error(
            fmt::format("the ledger has schema version {}, this Floodgate knows up to {}: it was "
                        "written by a newer one; use that, or a backup",
                        found, newest));
    std::size_t ran = 0;
    for (const migration& step : steps) {
        if (step.version > found && run(*c, step)) ++ran;
    }
    return ran;
}

}  // namespace floodgate::ledger
