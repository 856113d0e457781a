#include "ledger/journal_position.hpp"

#include <optional>

namespace floodgate::ledger {
namespace {

std::optional<sale::sequence> find_position(store::connection& c, sale::line_id line,
                                            std::string_view locking) {
    std::string sql = "SELECT position FROM journal_position WHERE line = ?";
    auto rows = c.ask(sql.append(locking), line);
    if (!rows.next()) return std::nullopt;
    return rows.get<sale::sequence>(0);
}

// The schema creates the journal's line; the others are created when they are first used.
void expect_other_line(sale::line_id line) {
    if (line == sale::journal_line)
        throw store::sql_error(store::sql_failure::corrupt, "the journal position is missing");
}

}  // namespace

sale::sequence position_in(store::connection& c, sale::line_id line) {
    if (const auto found = find_position(c, line, "")) return *found;
    expect_other_line(line);
    return {};
}

std::map<sale::line_id, sale::sequence> positions_in(store::connection& c) {
    auto rows = c.ask("SELECT line, position FROM journal_position ORDER BY line");
    std::map<sale::line_id, sale::sequence> all;
    while (rows.next()) all[rows.get<sale::line_id>(0)] = rows.get<sale::sequence>(1);
    return all;
}

sale::sequence take_position(store::connection& c, sale::line_id line) {
    const std::string_view locking = c.speaks().for_update;
    if (const auto found = find_position(c, line, locking)) return *found;
    expect_other_line(line);
    std::string insert(c.speaks().insert_ignore);  // another node may be doing the same
    c.run(insert.append(" INTO journal_position (line, position) VALUES (?, 0)"), line);
    return find_position(c, line, locking).value_or(sale::sequence{});
}

void move_position(store::connection& c, line_position to) {
    c.run("UPDATE journal_position SET position = ? WHERE line = ?", to.at, to.line);
}

}  // namespace floodgate::ledger
